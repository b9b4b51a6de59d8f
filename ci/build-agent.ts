/**
 * Bundles the agent into agent/dist: `main.mjs`, the pages and the management app beside it, and in
 * `node_modules/` the few packages that carry native code or must stay whole.
 */
import { cp, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Native or loading their own files: not bundled, copied as they are with what they need. */
const EXTERNAL = ['@lydell/node-pty', '@serialport/bindings-cpp'];
/**
 * Asked for by dbus-next, not there and not missed: x11 only where the bus address has to be found by it, usocket only
 * for passing open files. npm leaves usocket out where its compiling fails or is not allowed, and keeps it where
 * install scripts are ignored: inside the bundle it would end the agent at its start.
 */
const NEVER_LOADED = ['x11', 'usocket'];
export const NOT_BUNDLED = [...EXTERNAL, ...NEVER_LOADED];
/** Parts of those packages that the device never loads. */
const LEFT_OUT = /\/(?:test|docs?|prebuilds\/(?!linux-(?:x64|arm64))[^/]+|build\/(?!Release)|lib\/.*\.test)/;
/** The C++ of the native ones; what they depend on may keep its JavaScript in such a folder. */
const NATIVE_SOURCES = /^\/src(?:\/|$)/;

/**
 * Sources that load CommonJS packages late do so by `createRequire`; in the bundle those packages are inside,
 * reached by esbuild's own lazy `require`, so the line that shadows it goes.
 */
const lateRequire: Plugin = {
  name: 'late-require',
  setup(plugin) {
    plugin.onLoad({ filter: /agent\/src\/.*\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: (await readFile(path, 'utf8')).replace(
        /^const require = createRequire\(import\.meta\.url\);$/m,
        '',
      ),
    }));
  },
};

/** How a program with the agent's sources becomes one file. */
export const BUNDLED = {
  bundle: true,
  // The bundle's comments name files from here: the same bytes wherever the command is run from.
  absWorkingDir: root,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  minifySyntax: true,
  sourcemap: false,
  legalComments: 'linked',
  external: NOT_BUNDLED,
  plugins: [lateRequire],
  // Bundled CommonJS packages still call require for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
} satisfies BuildOptions;

export async function buildAgent(outdir = join(root, 'agent/dist')): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  await build({
    ...BUNDLED,
    entryPoints: [join(root, 'agent/src/main.ts')],
    outfile: join(outdir, 'main.mjs'),
  });
  for (const folder of ['page', 'ui']) await copyIfThere(join(root, 'agent', folder), join(outdir, folder));
  for (const name of EXTERNAL) await copyPackage(name, outdir, new Set());
}

async function copyIfThere(from: string, to: string): Promise<void> {
  if (await stat(from).catch(() => undefined)) {
    await cp(from, to, { recursive: true, filter: (path) => !/(?:\.ts|tsconfig\.json)$/.test(path) });
  }
}

/** Copies an installed package and, one after the other, what it depends on. */
async function copyPackage(name: string, outdir: string, done: Set<string>): Promise<void> {
  if (done.has(name)) return;
  done.add(name);
  const from = join(root, 'node_modules', name);
  const manifest: { dependencies?: object; optionalDependencies?: object } | undefined = await readFile(
    join(from, 'package.json'),
    'utf8',
  ).then(JSON.parse, () => undefined);
  if (!manifest) return; // an optional dependency for another platform
  const isNative = EXTERNAL.includes(name);
  await cp(from, join(outdir, 'node_modules', name), {
    recursive: true,
    filter: (path) => {
      const inside = path.slice(from.length);
      return !LEFT_OUT.test(inside) && !(isNative && NATIVE_SOURCES.test(inside));
    },
  });
  const needed = { ...manifest.dependencies, ...manifest.optionalDependencies };
  for (const dependency of Object.keys(needed)) await copyPackage(dependency, outdir, done);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = performance.now();
  await buildAgent();
  console.log(`agent/dist built in ${Math.round(performance.now() - started)} ms`);
}
