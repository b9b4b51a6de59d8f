import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unzipSync } from 'fflate';
import { ActionError } from '../../app/failure.ts';
import { pack } from './pack.ts';

const never = new AbortController().signal;
const fileOf = (path: string, content: string | Uint8Array<ArrayBuffer>) => ({
  path,
  file: new File([content], path.split('/').at(-1) ?? ''),
});
const bytesOf = async (archive: Blob) => new Uint8Array(await archive.arrayBuffer());
/** More than one block, and no multiple of one. */
const text = new TextEncoder().encode('All work and no play. '.repeat(120_000));

test('media are stored, the rest is compressed', async () => {
  const files = [
    fileOf('js/app.js', text),
    fileOf('index.html', '<title>x</title>'),
    fileOf('clip.MP4', text),
    fileOf('empty.css', ''),
    fileOf('büro/ü 😀.txt', 'ü'),
  ];
  const seen: number[] = [];
  const archive = await bytesOf(
    await pack(files, { onProgress: (bytes) => seen.push(bytes), signal: never }),
  );
  const entries: [string, number][] = [];
  const unpacked = unzipSync(archive, {
    filter: ({ name, compression }) => entries.push([name, compression]) > 0,
  });
  assert.deepEqual(entries, [
    ['büro/ü 😀.txt', 8],
    ['clip.MP4', 0],
    ['empty.css', 0],
    ['index.html', 8],
    ['js/app.js', 8],
  ]);
  assert.deepEqual(unpacked['js/app.js'], text);
  assert.deepEqual(unpacked['clip.MP4'], text);
  assert.ok(archive.length < text.length * 1.2);
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  assert.equal(seen.at(-1), total);
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  );
});

test('the same files make the same archive, in any order and at any time', async () => {
  const files = [fileOf('b.js', text), fileOf('index.html', 'x'), fileOf('a/c.png', text)];
  const options = { onProgress: () => undefined, signal: never };
  const [first, second] = await Promise.all([pack(files, options), pack(files.toReversed(), options)]);
  assert.deepEqual(await bytesOf(first), await bytesOf(second));
});

test('packing can be cancelled, and lets others work meanwhile', async () => {
  const stop = new AbortController();
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const files = Array.from({ length: 20 }, (_, index) => fileOf(`${index}.js`, text));
  const packing = pack(files, {
    signal: stop.signal,
    onProgress: (bytes) => bytes > text.length * 3 && stop.abort(),
  });
  await assert.rejects(packing, { name: 'AbortError' });
  clearInterval(timer);
  assert.ok(turns > 1, String(turns));
});

test('a file that is no longer what it was is named', async () => {
  const gone = fileOf('a/gone.txt', 'x');
  gone.file.slice = () => new Blob([]);
  await assert.rejects(pack([gone], { onProgress: () => undefined, signal: never }), ActionError);
});
