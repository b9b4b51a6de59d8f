/**
 * `node ci/build-ui.ts`: bundles the web app (`ui/`) into agent/dist/ui/app, with copies compressed by gzip and Brotli and
 * `assets.json`, which tells the agent what to serve (agent/src/links/web-app.ts). The result consists of the same bytes
 * on every computer.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, type Metafile, type OutputFile } from 'esbuild';
import { gzipSync } from 'fflate';
import { TEMPORARY_FILE, writeFileAtomic } from '../agent/src/base/atomic-file.ts';
import type { WebAsset, WebAssets } from '../agent/src/links/web-app.ts';
import { VIEW_PATHS } from '../ui/src/app/paths.ts';
import { command, Problem } from './lib/problem.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Of what a browser loads before the overview is complete, in bytes, compressed by gzip. */
const FIRST_LOAD_BYTES = 120_000;
const MAIN = 'ui/src/main.tsx';
const STYLES = 'ui/styles/app.css';
/** What the first load needs beside the main script and the styles: the first view, and one language. */
const FIRST_VIEW = 'ui/src/views/overview/overview.tsx';
const LANGUAGES = /^ui\/src\/texts\/[a-z]{2}\.ts$/;
/** Oldest browsers that have everything that the app uses, for example `light-dark()` and `Promise.withResolvers`. */
const TARGET = ['chrome123', 'firefox121', 'safari17.5'];

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};
/** Formats that are compressed already. */
const COMPRESSED = new Set(['.png', '.ico']);
/** Assets that browsers look for at the root. */
const AT_ROOT = new Set(['favicon.svg', 'favicon.ico', 'manifest.webmanifest']);

/** Environment variable that tells test files that the app has been built. */
export const UI_IS_BUILT = 'VITRINE_TEST_UI_IS_BUILT';

/** Sizes of a build, in bytes. */
export interface UiSizes {
  /** What the first load needs, compressed by gzip. */
  firstLoad: number;
  /** All files, uncompressed. */
  total: number;
}

/**
 * Builds the app into `outdir`, and removes other files there. A test may do so while an agent serves the same files.
 * @throws Problem when the first load is larger than its budget
 */
export async function buildUi(outdir = join(root, 'agent/dist/ui/app')): Promise<UiSizes> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [MAIN, STYLES],
    outdir: 'ui',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: TARGET,
    // Instead of tsconfig.json, which not every build has.
    tsconfigRaw: {
      compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact', verbatimModuleSyntax: true },
    },
    minify: true,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  const files = new Map<string, Buffer>(
    outputFiles.map((file) => [basename(file.path), Buffer.from(file.contents)]),
  );
  const outputs = new Outputs(metafile, outputFiles);
  files.set('index.html', await indexPage(outputs));
  files.set('licenses.txt', await licenses(metafile));
  const hashed = new Set(
    [...files.keys()].filter((name) => name !== 'index.html' && name !== 'licenses.txt'),
  );
  for (const name of (await readdir(join(root, 'ui/assets'))).sort()) {
    files.set(name, await readFile(join(root, 'ui/assets', name)));
  }

  const assets: WebAssets = { paths: Object.values(VIEW_PATHS), index: '/ui/index.html', files: {} };
  for (const [name, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const path = AT_ROOT.has(name) ? `/${name}` : `/ui/${name}`;
    assets.files[path] = await writeAsset(outdir, name, bytes, hashed.has(name));
  }
  await writeFileAtomic(join(outdir, 'assets.json'), JSON.stringify(assets));
  await removeOthers(outdir, assets);

  const loaded = ['index.html', ...outputs.firstLoad()];
  const firstLoad = sum(loaded.map((name) => gzip(files.get(name) ?? Buffer.alloc(0)).length));
  if (firstLoad > FIRST_LOAD_BYTES) {
    throw new Problem(
      `the first load of the web app has ${firstLoad} bytes compressed, and ${FIRST_LOAD_BYTES} are allowed: ${loaded.join(', ')}. Load code on demand, as the views are.`,
    );
  }
  return { firstLoad, total: sum([...files.values()].map(({ length }) => length)) };
}

/** What esbuild has made. */
class Outputs {
  readonly #byEntry = new Map<string, string>();
  readonly #imports = new Map<string, string[]>();

  constructor(metafile: Metafile, files: readonly OutputFile[]) {
    const names = new Set(files.map(({ path }) => basename(path)));
    for (const [path, { entryPoint, imports }] of Object.entries(metafile.outputs)) {
      const name = basename(path);
      if (entryPoint !== undefined && names.has(name)) this.#byEntry.set(entryPoint, name);
      const needed = imports.filter(({ kind }) => kind === 'import-statement');
      this.#imports.set(
        name,
        needed.map((one) => basename(one.path)),
      );
    }
  }

  /** The file that a source became. */
  of(source: string): string {
    const name = this.#byEntry.get(source);
    if (name === undefined) throw new Problem(`${source} is not built into a file of its own.`);
    return name;
  }

  /** A file and all that it needs before it runs. */
  withImports(name: string, found = new Set<string>()): Set<string> {
    if (!found.has(name)) {
      found.add(name);
      for (const needed of this.#imports.get(name) ?? []) this.withImports(needed, found);
    }
    return found;
  }

  /** What is loaded until the overview is complete, with every language: an upper limit. */
  firstLoad(): string[] {
    const languages = [...this.#byEntry.keys()].filter((source) => LANGUAGES.test(source)).slice(0, 1);
    const entries = [MAIN, STYLES, FIRST_VIEW, ...languages].map((source) => this.of(source));
    return [...new Set(entries.flatMap((name) => [...this.withImports(name)]))];
  }
}

/** The page with the addresses of its script and styles. What they and the first view need is loaded at the same time. */
async function indexPage(outputs: Outputs): Promise<Buffer> {
  const main = outputs.of(MAIN);
  const needed = outputs.withImports(outputs.of(FIRST_VIEW), outputs.withImports(main));
  needed.delete(main);
  const scripts = [
    `<script type="module" src="/ui/${main}"></script>`,
    ...[...needed].map((name) => `<link rel="modulepreload" href="/ui/${name}">`),
  ];
  const template = await readFile(join(root, 'ui/index.html'), 'utf8');
  return Buffer.from(
    template
      .replace('<!-- styles -->', `<link rel="stylesheet" href="/ui/${outputs.of(STYLES)}">`)
      .replace('<!-- scripts -->', scripts.join('\n')),
  );
}

/**
 * The licences of the bundled packages, which require that they come with each copy. Those of packages that name their
 * licence only are in ui/licenses.
 */
async function licenses({ inputs }: Metafile): Promise<Buffer> {
  const names = Object.keys(inputs).flatMap(
    (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  const texts = [...new Set(names)].sort().map(async (name) => {
    const own = await readFile(join(root, 'node_modules', name, 'LICENSE'), 'utf8').catch(() => undefined);
    return `${name}\n\n${own ?? (await readFile(join(root, 'ui/licenses', `${name}.txt`), 'utf8'))}`;
  });
  return Buffer.from((await Promise.all(texts)).join('\n\n'));
}

async function writeAsset(
  outdir: string,
  name: string,
  bytes: Buffer,
  immutable: boolean,
): Promise<WebAsset> {
  const extension = extname(name);
  const type = TYPES[extension];
  if (type === undefined) throw new Problem(`ui/assets/${name}: files of this type are not served.`);
  await writeFileAtomic(join(outdir, name), bytes);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  const isSmaller = !COMPRESSED.has(extension) && gzip(bytes).length < bytes.length;
  if (isSmaller) {
    await writeFileAtomic(join(outdir, `${name}.gz`), gzip(bytes));
    await writeFileAtomic(join(outdir, `${name}.br`), brotli(bytes));
  }
  return { file: name, type, hash, immutable, compressed: isSmaller };
}

/** Removes what an earlier build has left. */
async function removeOthers(outdir: string, { files }: WebAssets): Promise<void> {
  const names = Object.values(files).flatMap(({ file }) => [file, `${file}.gz`, `${file}.br`]);
  const kept = new Set(['assets.json', ...names]);
  const others = (await readdir(outdir)).filter((name) => !kept.has(name) && !TEMPORARY_FILE.test(name));
  for (const name of others) await rm(join(outdir, name), { recursive: true, force: true });
}

/** Not by zlib: its output depends on the processor. */
function gzip(bytes: Buffer): Uint8Array {
  return gzipSync(bytes, { level: 9, mtime: 0 });
}

function brotli(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const { firstLoad, total } = await buildUi();
    console.log(
      `agent/dist/ui/app built: first load ${firstLoad} bytes compressed, all files ${total} bytes`,
    );
    return 0;
  });
}
