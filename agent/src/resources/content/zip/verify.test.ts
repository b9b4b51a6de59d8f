import assert from 'node:assert/strict';
import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readDirectory } from './directory.ts';
import { type ByteSource, fileSource } from './source.ts';
import { buildZip, type EntrySpec } from './tests/build-zip.ts';
import { PAGE } from './tests/corpus-zip.ts';
import { memorySource } from './tests/memory-source.ts';
import { verifyBundle } from './verify.ts';
import { ZipError } from './zip-entry.ts';

const LONG = Buffer.from('A line of text that is packed and unpacked again.\n'.repeat(60_000));

/** An archive whose reads are recorded. */
function recorded(bytes: Buffer): { source: ByteSource; reads: number[] } {
  const inner = memorySource(bytes);
  const reads: number[] = [];
  const read: ByteSource['read'] = (position, length, into) => {
    reads.push(length);
    return inner.read(position, length, into);
  };
  return { source: { size: bytes.length, read }, reads };
}

async function fileOf(t: TestContext, bytes: Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-zip-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'bundle.zip');
  await writeFile(path, bytes);
  return path;
}

test('the directory describes entries correctly', async () => {
  const archive = buildZip([{ ...PAGE, method: 0 }, { name: 'js/' }, { name: 'js/app.js', data: LONG }]);
  const directory = await readDirectory(memorySource(archive));
  assert.deepEqual([...directory.keys()], ['index.html', 'js/', 'js/app.js']);
  const page = directory.get('index.html');
  const text = String(PAGE.data);
  assert.equal(archive.toString('utf8', page?.dataStart, (page?.dataStart ?? 0) + text.length), text);
  assert.equal(directory.get('js/')?.isFolder, true);
  const script = directory.get('js/app.js');
  assert.deepEqual([script?.method, script?.isFolder, script?.bytes], ['deflate', false, LONG.length]);
  assert.ok(script && script.compressedBytes < LONG.length / 10);
});

test('an archive in a file is verified', async (t) => {
  const path = await fileOf(t, buildZip([PAGE, { name: 'long', data: LONG }]));
  const file = await open(path);
  t.after(() => file.close());
  const directory = await verifyBundle(fileSource(file, (await file.stat()).size));
  assert.equal(directory.size, 2);
});

test('a file that became shorter is a failed read, not an invalid archive', async (t) => {
  const bytes = buildZip([PAGE]);
  const path = await fileOf(t, bytes);
  await truncate(path, bytes.length - 1);
  const file = await open(path);
  t.after(() => file.close());
  await assert.rejects(verifyBundle(fileSource(file, bytes.length)), (error: Error) => {
    assert.ok(!(error instanceof ZipError));
    assert.match(error.message, /the file ends at byte \d+, before byte \d+/);
    return true;
  });
});

test('errors of the source are passed on unchanged', async () => {
  const inner = memorySource(buildZip([PAGE, { name: 'long', data: LONG, method: 0 }]));
  for (let failing = 0; failing < 8; failing++) {
    let reads = 0;
    const source: ByteSource = {
      size: inner.size,
      read: (...args) => (reads++ === failing ? Promise.reject(new Error('EIO')) : inner.read(...args)),
    };
    await assert.rejects(verifyBundle(source), /^Error: EIO$/, `read ${failing}`);
  }
});

test('progress goes up to 1', async () => {
  const fractions: number[] = [];
  const archive = buildZip([PAGE, { name: 'noise', data: LONG, method: 0 }]);
  await verifyBundle(memorySource(archive), { progress: (fraction) => fractions.push(fraction) });
  assert.ok(fractions.length > 5);
  assert.deepEqual(
    fractions,
    [...fractions].sort((a, b) => a - b),
  );
  assert.equal(fractions.at(-1), 1);
});

test('a signal stops verification before it starts and while it runs', async () => {
  const archive = buildZip([PAGE, { name: 'stored', data: LONG, method: 0 }, { name: 'packed', data: LONG }]);
  const aborted = recorded(archive);
  await assert.rejects(verifyBundle(aborted.source, { signal: AbortSignal.abort('enough') }), (reason) => {
    assert.equal(reason, 'enough');
    return true;
  });
  assert.deepEqual(aborted.reads, []);
  const controller = new AbortController();
  const seen: number[] = [];
  const progress = (fraction: number) => {
    seen.push(fraction);
    controller.abort(new Error('enough'));
  };
  const { source, reads } = recorded(archive);
  await assert.rejects(verifyBundle(source, { signal: controller.signal, progress }), /^Error: enough$/);
  assert.equal(seen.length, 1);
  const count = reads.length;
  await new Promise(setImmediate);
  assert.equal(reads.length, count, 'nothing is read after the end');
});

test('a signal stops the unpacking of a large entry', async () => {
  const zeros = Buffer.alloc(150 * 1024 * 1024);
  const archive = buildZip([PAGE, { name: 'zeros', data: zeros }]);
  const controller = new AbortController();
  const pieces: number[] = [];
  const progress = (fraction: number) => {
    pieces.push(fraction);
    controller.abort(new Error('enough'));
  };
  const checked = verifyBundle(memorySource(archive), { signal: controller.signal, progress });
  await assert.rejects(checked, /^Error: enough$/);
  assert.equal(pieces.length, 1);
});

test('many small entries take few reads, and no read is long', async () => {
  const small = Array.from(
    { length: 4000 },
    (_, index): EntrySpec => ({ name: `d/${index}`, data: 'x'.repeat(500), method: 0 }),
  );
  const { source, reads } = recorded(buildZip([PAGE, ...small]));
  await readDirectory(source);
  assert.ok(reads.length < 40, `${reads.length} reads`);
  await verifyBundle(source);
  const directoryBytes = 4001 * 64;
  assert.ok(Math.max(...reads) <= Math.max(256 * 1024, directoryBytes), `${Math.max(...reads)}`);
});

test('reading the directory does not read the data of large entries', async () => {
  const large = Array.from(
    { length: 5 },
    (_, index): EntrySpec => ({ name: `${index}`, data: LONG, method: 0 }),
  );
  const { source, reads } = recorded(buildZip([PAGE, ...large]));
  await readDirectory(source);
  const total = reads.reduce((sum, length) => sum + length, 0);
  assert.ok(total < 100_000, `${total} bytes`);
});

test('the event loop is not blocked by reading a directory and unpacking small entries', async () => {
  const small = Array.from(
    { length: 6000 },
    (_, index): EntrySpec => ({ name: `d/${index}`, data: `${index}` }),
  );
  const source = memorySource(buildZip([PAGE, ...small]));
  let turns = 0;
  const count = () => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  await readDirectory(source);
  const forDirectory = turns;
  await verifyBundle(source);
  clearImmediate(timer);
  assert.ok(forDirectory >= 6, `${forDirectory}`);
  assert.ok(turns - forDirectory >= 100, `${turns}`);
});
