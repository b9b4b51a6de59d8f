/** Archives that other programs make while the tests run. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { ZipFile } from 'yazl';
import { buildZip, type EntrySpec, extraField } from './build-zip.ts';
import { type CorpusZip, PAGE } from './corpus-zip.ts';

const TOOL_TIMEOUT_MS = 60_000;

/** 7zz on Debian 12, 7z on later versions. */
const SEVEN_ZIP = ['7zz', '7z'];

/**
 * Runs a program and returns its output.
 * @param names of the program; the first one that is installed is used
 * @throws Error that names the missing program, or has the output of the failed one
 */
export async function runTool(names: string[], args: string[], folder: string): Promise<Buffer> {
  const options = {
    cwd: folder,
    timeout: TOOL_TIMEOUT_MS,
    encoding: 'buffer',
    maxBuffer: 64 * 1024 * 1024,
  } as const;
  for (const name of names) {
    try {
      return (await promisify(execFile)(name, args, options)).stdout;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  throw new Error(
    `The program ${names.join(' or ')} is missing. Install the packages of ci/image/packages.conf [test].`,
  );
}

/** Runs `work` in a temporary folder with a small web app. */
async function inAppFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-zip-'));
  try {
    const app = join(folder, 'app');
    await mkdir(join(app, 'assets/grüße'), { recursive: true });
    await mkdir(join(app, 'empty'));
    await writeFile(join(app, 'index.html'), '<!doctype html><script src="assets/app.js"></script>\n');
    await writeFile(join(app, 'assets/app.js'), 'console.log("hello");\n'.repeat(20_000));
    await writeFile(join(app, 'assets/grüße/日本語.txt'), 'hello\n'.repeat(10));
    await writeFile(join(app, 'assets/noise.bin'), NOISE);
    await writeFile(join(app, 'assets/nothing.txt'), '');
    return await work(app);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const NOISE = noise(300_000);

/** Incompressible bytes, the same ones every time. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** An archive that a program makes of the app: in the file `OUT` if the arguments have that, else on standard output. */
function packed(
  name: string,
  expected: CorpusZip['expected'],
  program: string | string[],
  args: string[],
  prepare?: (app: string) => Promise<void>,
): CorpusZip {
  const build = () =>
    inAppFolder(async (app) => {
      await prepare?.(app);
      const file = join(app, '../out.zip');
      const output = await runTool(
        [program].flat(),
        args.map((arg) => (arg === 'OUT' ? file : arg)),
        app,
      );
      return args.includes('OUT') ? await readFile(file) : output;
    });
  return { name, expected, build };
}

const link = (app: string) => symlink('/etc/passwd', join(app, 'link'));

const python = (script: string) => [
  '-c',
  `import os, sys, zipfile
class Pipe:
    def write(self, data): return sys.stdout.buffer.write(data)
    def flush(self): sys.stdout.buffer.flush()
def files():
    for folder, _, names in os.walk('.'):
        for name in sorted(names): yield os.path.relpath(os.path.join(folder, name), '.')
${script}`,
];

/** An archive of the library yazl, from buffers and, with descriptors, from streams. */
async function withYazl(forceZip64Format: boolean): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from('<!doctype html>\n'), 'index.html', { forceZip64Format });
  zip.addReadStream(Readable.from([NOISE]), 'packed.bin', { forceZip64Format });
  zip.addReadStream(Readable.from([NOISE]), 'stored.bin', { forceZip64Format, compress: false });
  zip.addEmptyDirectory('empty');
  zip.end({ forceZip64Format, comment: '' });
  return await buffer(zip.outputStream);
}

/** An archive as by `ditto -c -k` and the Finder: decomposed UTF-8 without flag, descriptors, resource forks. */
function likeMacOs(): Buffer {
  const times = (length: number) => extraField(0x5855, Buffer.alloc(length, 7));
  const mac = (name: string, data?: string): EntrySpec => ({
    name: name.normalize('NFD'),
    ...(data === undefined
      ? { needs: 10, attributes: (0o040755 << 16) >>> 0 }
      : { data, descriptor: 'signed' as const, method: 8, attributes: (0o100644 << 16) >>> 0 }),
    madeBy: 0x0315,
    flags: data === undefined ? 0 : 8,
    local: { extra: times(12) },
    central: { extra: times(8) },
  });
  const fork = '\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        \x00\x02';
  return buildZip([
    mac('index.html', '<!doctype html>\n'),
    mac('__MACOSX/', undefined),
    mac('__MACOSX/._index.html', fork),
    mac('assets/', undefined),
    mac('assets/Grüße.txt', 'hello\n'),
    mac('__MACOSX/assets/', undefined),
    mac('__MACOSX/assets/._Grüße.txt', fork),
    mac('.DS_Store', '\x00\x00\x00\x01Bud1'),
  ]);
}

export const TOOL_ZIPS: readonly CorpusZip[] = [
  packed('Info-ZIP', 'ok', 'zip', ['-q', '-r', 'OUT', '.']),
  packed('Info-ZIP without folders and extra fields', 'ok', 'zip', ['-q', '-r', '-D', '-X', 'OUT', '.']),
  packed('Info-ZIP, stored', 'ok', 'zip', ['-q', '-0', '-r', 'OUT', '.']),
  packed('Info-ZIP to a pipe', 'ok', 'zip', ['-q', '-r', '-', '.']),
  packed('Info-ZIP to a pipe, stored', 'ok', 'zip', ['-q', '-0', '-r', '-', '.']),
  packed('Info-ZIP with zip64', 'ok', 'zip', ['-q', '-r', '-fz', 'OUT', '.']),
  // Its end record has a wrong offset; unzip, 7-Zip and Python refuse it too.
  packed('Info-ZIP with zip64 to a pipe', /not where its end record says/, 'zip', [
    '-q',
    '-r',
    '-fz',
    '-',
    '.',
  ]),
  packed('Info-ZIP with descriptors', 'ok', 'zip', ['-q', '-r', '-fd', 'OUT', '.']),
  packed(
    'Info-ZIP with a link kept',
    /"link" is a symbolic link/,
    'zip',
    ['-q', '-r', '-y', 'OUT', '.'],
    link,
  ),
  packed('Info-ZIP with a link followed', 'ok', 'zip', ['-q', '-r', 'OUT', '.'], (app) =>
    symlink('index.html', join(app, 'link')),
  ),
  packed('Info-ZIP with a password', /is encrypted/, 'zip', ['-q', '-r', '-P', 'secret', 'OUT', '.']),
  packed('Info-ZIP with bzip2', /is packed with method 12/, 'zip', ['-q', '-r', '-Z', 'bzip2', 'OUT', '.']),
  packed('Info-ZIP of a folder', /there is "app\/index\.html"/, 'sh', ['-c', 'cd .. && zip -q -r - app']),
  packed('Info-ZIP in parts', /part of several|does not start with an entry|cut off/, 'sh', [
    '-c',
    'zip -q -r -s 64k ../parts.zip . && cat ../parts.zip',
  ]),
  packed('Info-ZIP, updated and with one deleted', 'ok', 'sh', [
    '-c',
    'zip -q -r ../out.zip . && echo new >new.txt && zip -q ../out.zip new.txt && zip -q -d ../out.zip assets/noise.bin && cat ../out.zip',
  ]),
  packed('7-Zip', 'ok', SEVEN_ZIP, ['a', '-bd', '-tzip', 'OUT', '.']),
  packed('7-Zip, stored', 'ok', SEVEN_ZIP, ['a', '-bd', '-tzip', '-mx0', 'OUT', '.']),
  packed(
    '7-Zip with a link kept',
    /"link" is a symbolic link/,
    '7zz',
    ['a', '-bd', '-snl', '-tzip', 'OUT', '.'],
    link,
  ),
  packed('7-Zip with a password', /is encrypted/, SEVEN_ZIP, ['a', '-bd', '-tzip', '-psecret', 'OUT', '.']),
  packed('7-Zip with AES', /is encrypted/, SEVEN_ZIP, [
    'a',
    '-bd',
    '-tzip',
    '-psecret',
    '-mem=AES256',
    'OUT',
    '.',
  ]),
  packed('7-Zip with LZMA', /is packed with method 14/, SEVEN_ZIP, [
    'a',
    '-bd',
    '-tzip',
    '-mm=LZMA',
    'OUT',
    '.',
  ]),
  packed('7-Zip with Deflate64', /is packed with method 9/, SEVEN_ZIP, [
    'a',
    '-bd',
    '-tzip',
    '-mm=Deflate64',
    'OUT',
    '.',
  ]),
  packed('Python', 'ok', 'python3', ['-m', 'zipfile', '-c', 'OUT', 'index.html', 'assets', 'empty']),
  packed(
    'Python to a pipe',
    'ok',
    'python3',
    python(`
with zipfile.ZipFile(Pipe(), 'w', zipfile.ZIP_DEFLATED) as z:
    for name in files(): z.write(name)`),
  ),
  packed(
    'Python with zip64 forced',
    'ok',
    'python3',
    python(`
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:
    for name in files():
        with z.open(name, 'w', force_zip64=True) as entry: entry.write(open(name, 'rb').read())`).concat(
      'OUT',
    ),
  ),
  packed(
    'Python with zip64 forced to a pipe',
    'ok',
    'python3',
    python(`
with zipfile.ZipFile(Pipe(), 'w', zipfile.ZIP_DEFLATED) as z:
    for name in files():
        with z.open(name, 'w', force_zip64=True) as entry: entry.write(open(name, 'rb').read())`),
  ),
  packed(
    'Python with a path that leaves the root',
    /"\.\.\/evil" has "\." or "\.\."/,
    'python3',
    python(`
with zipfile.ZipFile(Pipe(), 'w') as z:
    z.writestr('index.html', 'x'); z.writestr('../evil', 'x')`),
  ),
  packed(
    'Python appending to a program',
    /does not start with an entry/,
    'python3',
    python(`
open('../out.zip', 'wb').write(b'#!/usr/bin/env python3\\n')
with zipfile.ZipFile('../out.zip', 'a') as z: z.writestr('index.html', 'x')`).concat('OUT'),
  ),
  packed(
    'Python with one name twice',
    /"index\.html" is in the archive twice/,
    'python3',
    python(`
import warnings
warnings.simplefilter('ignore')
with zipfile.ZipFile(Pipe(), 'w') as z:
    z.writestr('index.html', 'x'); z.writestr('index.html', 'y')`),
  ),
  {
    ...packed(
      'Python with 70 000 entries, which need zip64',
      'ok',
      'python3',
      python(`
with zipfile.ZipFile(sys.argv[1], 'w') as z:
    for index in range(70000): z.writestr('%d/%d' % (index % 100, index), b'')
    z.writestr('index.html', 'x')`).concat('OUT'),
    ),
    isSlow: true,
  },
  packed('git', 'ok', 'sh', [
    '-c',
    'git init -q && git add . && git -c user.name=x -c user.email=x@x commit -q -m x && git archive --format=zip HEAD',
  ]),
  { name: 'yazl', expected: 'ok', build: () => withYazl(false) },
  { name: 'yazl with zip64', expected: 'ok', build: () => withYazl(true) },
  { name: 'macOS, with resource forks', expected: 'ok', build: async () => likeMacOs() },
  { name: 'a page alone', expected: 'ok', build: async () => buildZip([PAGE]) },
];
