/** `npm run help`: prints every npm script with one sentence. */
import { fileURLToPath } from 'node:url';

/** One sentence for each script of package.json, by group; the only place where they are. */
export const HELP: Record<string, Record<string, string>> = {
  'Run the device': {
    start: 'Builds the virt image if necessary and boots it in QEMU, or with --container on this kernel.',
    stop: 'Powers down the machine that npm start started.',
    agent: 'Runs only the agent, on this computer.',
    'dev:push': 'Puts the agent of the working tree into the machine that npm start -- --dev runs.',
  },
  Test: {
    test: 'Runs everything that a change can break, once; 20 to 30 minutes.',
    'test:full': 'Runs every scenario in QEMU, with its long variants; before a release.',
    'test:changed': 'Runs the tests that the present change can affect.',
    'test:unit': 'Runs the unit tests.',
    'test:qemu': 'Runs scenarios on a device, in containers or in QEMU.',
    'test:boards': "Makes every board's disk from dummy files and reads it back.",
    'test:release': 'Tests signatures of update bundles, and whether two builds of the image are identical.',
  },
  Check: {
    lint: 'Checks style and shell scripts.',
    types: 'Checks the types.',
    generate: 'Writes the generated files: API description and page, page client, cursor.',
    'check:generated': 'Fails if a generated file is out of date.',
    'check:buildroot': 'Checks the Buildroot configurations without compiling (BUILDROOT_DIR).',
    'check:clients': 'Generates a TypeScript and a Python client and tests them.',
    mutate: 'Lists changes of a state machine that its tests do not notice.',
  },
  Measure: {
    bench: 'Compares speed and memory of the agent with other programs.',
    'bench:screen': 'Compares speed on a device with other programs.',
    soak: 'Shows pages for hours and fails if a process grows.',
  },
  Build: {
    build: 'Bundles the agent into agent/dist, and the client for hosts into build/client.',
    image: "Builds a board's image with the files for manufacturing.",
    bundle: "Makes the signed update bundle of a board's image.",
    release: 'Builds all artefacts of a version.',
    'factory-test': 'Tests a flashed unit over its serial link.',
  },
  Help: {
    help: 'Prints this list.',
  },
};

/** The list as text. */
export function helpText(): string {
  const width = Math.max(
    ...Object.values(HELP).flatMap((group) => Object.keys(group).map((name) => name.length)),
  );
  const groups = Object.entries(HELP).map(([title, scripts]) => {
    const lines = Object.entries(scripts).map(([name, sentence]) => `  ${name.padEnd(width)}  ${sentence}`);
    return `${title}\n${lines.join('\n')}\n`;
  });
  return `npm run NAME [-- OPTIONS]; most scripts list their options with --help.\n\n${groups.join('\n')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(helpText());
