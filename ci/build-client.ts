/** Packs the host's side, `@vitrine/client`, into build/client: the library for Node and for browsers, the test kit, and the command `vitrine`. */
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { ROOT } from './lib/places.ts';
import { runTool } from './lib/tool.ts';

const TYPES_MS = 10 * 60_000;
const FROM = join(ROOT, 'client');
/** Loaded only for serial ports; it has native code. */
const OPTIONAL = 'serialport';
const COMMON = {
  bundle: true,
  absWorkingDir: ROOT,
  format: 'esm',
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 200,
  legalComments: 'linked',
  logLevel: 'warning',
} as const satisfies BuildOptions;
const NODE = {
  ...COMMON,
  platform: 'node',
  target: 'node22',
  external: [OPTIONAL],
} as const satisfies BuildOptions;

/**
 * Builds the package into `outdir`, which is replaced.
 * @param types whether with the declarations, which take most of the time
 * @returns the size of the browser's part, compressed, in bytes
 */
export async function buildClient(outdir = join(ROOT, 'build/client'), types = true): Promise<number> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const banner = {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  };
  // With what both use in common, so that an error of a device under test is an instance of the library's class.
  await build({
    ...NODE,
    banner,
    splitting: true,
    entryPoints: ['index.ts', 'testing.ts'].map((name) => join(FROM, name)),
    outdir,
  });
  await build({
    ...NODE,
    banner,
    entryPoints: [join(FROM, 'cli/main.ts')],
    outfile: join(outdir, 'vitrine.js'),
  });
  await build({
    ...COMMON,
    platform: 'browser',
    target: 'es2022',
    minifyIdentifiers: true,
    entryPoints: [join(FROM, 'web.ts')],
    outfile: join(outdir, 'web.js'),
  });
  await chmod(join(outdir, 'vitrine.js'), 0o755);
  if (types) await writeTypes(outdir);
  await writeManifest(outdir);
  for (const name of ['README.md', 'CHANGELOG.md']) await copyFile(join(FROM, name), join(outdir, name));
  await copyFile(join(ROOT, 'LICENSE'), join(outdir, 'LICENSE'));
  return gzipSync(await readFile(join(outdir, 'web.js'))).length;
}

/** Declarations, in the folders of their sources. */
async function writeTypes(outdir: string): Promise<void> {
  const { ok, output } = await runTool(
    'tsc',
    ['-p', join(FROM, 'tsconfig.types.json'), '--outDir', join(outdir, 'types')],
    TYPES_MS,
  );
  if (!ok) throw new Error(output);
}

async function writeManifest(outdir: string): Promise<void> {
  const project = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const manifest = {
    name: '@vitrine/client',
    version: project.version,
    description: 'Drives a Vitrine display appliance over its network or serial link',
    license: project.license,
    type: 'module',
    engines: { node: '>=22' },
    bin: { vitrine: './vitrine.js' },
    exports: {
      '.': { types: './types/client/index.d.ts', browser: './web.js', default: './index.js' },
      './testing': { types: './types/client/testing.d.ts', default: './testing.js' },
      './web': { types: './types/client/web.d.ts', default: './web.js' },
    },
    // Types only.
    dependencies: { typebox: project.devDependencies.typebox ?? project.dependencies.typebox },
    peerDependencies: { serialport: '>=12' },
    peerDependenciesMeta: { serialport: { optional: true } },
  };
  await writeFile(join(outdir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
