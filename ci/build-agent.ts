/**
 * Bundles the agent into agent/dist: `agent.js`, which `main.mjs` starts, and `nfc-reader.mjs` and `peripheral-io.mjs` for
 * its other programs; beside them the pages, the web app, the description of the API and the compiled validators, and in
 * `node_modules/` the few packages that have native code or must stay whole. `i2c-bus` and `spi-device` are compiled for
 * the device (agent/native-modules).
 */
import { cp, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { compiledValidators, writeValidators } from './agent/validators.ts';
import { buildUi } from './build-ui.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Native, or loading their own files: copied with their dependencies instead of bundled. */
const EXTERNAL = ['@lydell/node-pty', '@serialport/bindings-cpp', 'koffi', 'node-hid', 'usb'];
const COMPILED_FOR_THE_DEVICE = ['i2c-bus', 'spi-device'];
/**
 * Optional dependencies of dbus-next that are never loaded: x11 finds a bus address, usocket passes open files. npm
 * omits usocket where compiling it fails or is not allowed, and keeps it where install scripts are ignored: in the
 * bundle it would end the agent at its start.
 */
const NEVER_LOADED = ['x11', 'usocket'];
export const NOT_BUNDLED = [...EXTERNAL, ...COMPILED_FOR_THE_DEVICE, ...NEVER_LOADED];
/** Of the copied packages' dependencies, those that only compile or install them. */
const FOR_INSTALLING = ['node-addon-api', 'yargs', '@types/w3c-web-usb'];
/** Parts of the copied packages that the device never loads. */
const LEFT_OUT =
  /\/(?:test|docs?|prebuilds\/(?!(?:HID_hidraw-)?linux-(?:x64|arm64)(?:\/|$))[^/]+|build\/(?!Release)|lib\/.*\.test|musl_|node_modules\/node-addon-api)|\.musl\.node$/;
/** C++ of the native packages, and what compiles it; their dependencies may have JavaScript in such a folder. */
const NATIVE_SOURCES =
  /^\/(?:src(?!\/koffi)\/|vendor|hidapi|libusb|lib\/native|src\/koffi\/src\/abi)|\.(?:cc|hh|inc|def|md)$|CMakeLists|cnoke/;

/**
 * Packages that others load and the agent never uses, a third of the bundle, with what takes their place: no route has
 * a schema for Fastify to compile, no plugin requires a version, and of D-Bus the agent uses messages, not
 * introspection.
 */
const UNUSED: Readonly<Record<string, string>> = {
  '@fastify/ajv-compiler': '',
  '@fastify/fast-json-stringify-compiler': '',
  semver: '',
  xml2js: 'exports.Builder = class {};',
};

/**
 * Modules of Node that Fastify loads for servers that it makes itself. The agent makes its own, and loads TLS with the
 * first certificate: 11 MB of memory and 27 ms.
 */
const UNUSED_BY_FASTIFY = /^node:(?:https|http2|dns)$/;

const withoutUnused: Plugin = {
  name: 'without-unused',
  setup(plugin) {
    plugin.onResolve({ filter: UNUSED_BY_FASTIFY }, ({ path, importer }) =>
      /\/node_modules\/fastify\//.test(importer) ? { path, namespace: 'unused' } : undefined,
    );
    plugin.onResolve({ filter: new RegExp(`^(?:${Object.keys(UNUSED).join('|')})$`) }, ({ path }) => ({
      path,
      namespace: 'unused',
    }));
    // Never empty: esbuild takes an empty file for an ES module.
    plugin.onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `exports.unused = true; ${UNUSED[path] ?? ''}`,
    }));
  },
};

/**
 * Sources that load CommonJS packages late use `createRequire`. In the bundle esbuild's own lazy `require` does that, so
 * the line that shadows it is removed.
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

/** How the agent, or a part of it, is bundled. */
export const BUNDLE = {
  bundle: true,
  // Paths in the bundle are relative to it: the same bytes wherever the command is run from.
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
  plugins: [compiledValidators, withoutUnused, lateRequire],
  // Bundled CommonJS packages still call require for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Builds the agent into `outdir`, which is replaced. @returns esbuild's metafile, which lists what is in the bundle */
export async function buildAgent(outdir = join(root, 'agent/dist')): Promise<Metafile> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const { metafile } = await build({
    ...BUNDLE,
    plugins: [writeValidators(outdir), ...BUNDLE.plugins],
    // One function expression, see start-bundle.ts.
    format: 'cjs',
    banner: { js: '(function (require, bundleUrl) {' },
    footer: { js: '})' },
    define: { 'import.meta.url': 'bundleUrl', 'import.meta.main': 'true' },
    entryPoints: [join(root, 'agent/src/main.ts')],
    outfile: join(outdir, 'agent.js'),
  });
  for (const [program, source] of [
    ['main', 'start-bundle'],
    ['nfc-reader', 'nfc-reader/main'],
    ['peripheral-io', 'peripheral-io/main'],
  ] as const) {
    await build({
      ...BUNDLE,
      entryPoints: [join(root, 'agent/src', `${source}.ts`)],
      outfile: join(outdir, `${program}.mjs`),
    });
  }
  await buildUi(join(outdir, 'ui/app'));
  for (const folder of ['page', 'ui']) await copyIfThere(join(root, 'agent', folder), join(outdir, folder));
  for (const name of ['openapi.yaml', 'asyncapi.yaml']) {
    await cp(join(root, 'docs', name), join(outdir, 'docs', name));
  }
  for (const name of EXTERNAL) await copyPackage(name, outdir, new Set());
  return metafile;
}

async function copyIfThere(from: string, to: string): Promise<void> {
  if (await stat(from).catch(() => undefined)) {
    await cp(from, to, { recursive: true, filter: (path) => !/(?:\.ts|tsconfig\.json)$/.test(path) });
  }
}

/** Copies an installed package and its dependencies. */
async function copyPackage(name: string, outdir: string, done: Set<string>): Promise<void> {
  if (done.has(name) || FOR_INSTALLING.includes(name)) return;
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
