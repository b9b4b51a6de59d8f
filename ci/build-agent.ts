/**
 * Bundles the agent into agent/dist: `main.mjs`, beside it the pages, the description of the API and the compiled
 * validators, and in `node_modules/` the few packages that have native code or must stay whole.
 */
import { cp, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { compiledValidators, writeValidators } from './agent/validators.ts';

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
 * Modules that Fastify asks for and the agent never uses: no route has a schema for Fastify to compile, and no plugin
 * asks for a version. They would be half of the bundle.
 */
const UNUSED = /^(?:@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler|semver)$/;

/** Puts an empty module in the place of each unused one: calling it is a TypeError. */
const withoutUnused: Plugin = {
  name: 'without-unused',
  setup(plugin) {
    plugin.onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }));
    plugin.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/**
 * Changes how sources reach packages, for the bundle. Those that load CommonJS packages late do so by `createRequire`;
 * here those packages are inside, and esbuild's own lazy `require` reaches them, so the line that shadows it goes.
 * `Type` becomes a namespace import, of which esbuild keeps only the functions that are used.
 */
const packageImports: Plugin = {
  name: 'package-imports',
  setup(plugin) {
    plugin.onLoad({ filter: /agent\/src\/.*\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: (await readFile(path, 'utf8'))
        .replace(/^const require = createRequire\(import\.meta\.url\);$/m, '')
        .replace(/^import \{[^}]*\bType\b[^}]*\} from 'typebox';$/m, "import * as Type from 'typebox';"),
    }));
  },
};

/** How the agent, or a part of it, is bundled. */
export const BUNDLE = {
  bundle: true,
  // The bundle's comments name files from here: the same bytes wherever the command is run from.
  absWorkingDir: root,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // Names stay, for stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 200,
  sourcemap: false,
  metafile: true,
  legalComments: 'linked',
  external: NOT_BUNDLED,
  plugins: [compiledValidators, withoutUnused, packageImports],
  // Bundled CommonJS packages still call require for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** @returns what the bundle is made of: esbuild's metafile */
export async function buildAgent(outdir = join(root, 'agent/dist')): Promise<Metafile> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const { metafile } = await build({
    ...BUNDLE,
    plugins: [writeValidators(outdir), ...BUNDLE.plugins],
    entryPoints: [join(root, 'agent/src/main.ts')],
    outfile: join(outdir, 'main.mjs'),
  });
  for (const folder of ['page', 'ui']) await copyIfThere(join(root, 'agent', folder), join(outdir, folder));
  await cp(join(root, 'docs/openapi.yaml'), join(outdir, 'docs/openapi.yaml'));
  for (const name of EXTERNAL) await copyPackage(name, outdir, new Set());
  return metafile;
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
