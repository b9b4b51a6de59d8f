import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ActionError } from '../../app/failure.ts';
import { onlyIn, type Picked, pickDropped, pickFile, pickFolder } from './picked.ts';

const fileAt = (path: string) =>
  Object.defineProperty(new File(['x'], path), 'webkitRelativePath', { value: path });
const pathsOf = (picked: Picked) =>
  picked.kind === 'files' ? picked.files.map(({ path }) => path).sort() : [];

/** An entry as browsers give it: a folder is an object, a file a text. Folders are read two at a time. */
type Tree = string | { readonly [name: string]: Tree };
function entryOf(name: string, tree: Tree): FileSystemEntry {
  const isFile = typeof tree === 'string';
  const children = isFile ? [] : Object.entries(tree).map(([child, content]) => entryOf(child, content));
  const entry = {
    name,
    isFile,
    isDirectory: !isFile,
    file: (resolve: (file: File) => void, reject: (error: Error) => void) =>
      tree === 'unreadable' ? reject(new Error('no')) : resolve(new File([String(tree)], name)),
    createReader: () => ({
      readEntries: (resolve: (entries: FileSystemEntry[]) => void) => resolve(children.splice(0, 2)),
    }),
  };
  return entry as unknown as FileSystemEntry;
}

function dropped(...entries: FileSystemEntry[]): DataTransfer {
  const items = entries.map((entry) => ({ webkitGetAsEntry: () => entry }));
  return { items } as unknown as DataTransfer;
}

test('a chosen folder is the root, without what computers leave everywhere', () => {
  const paths = ['site/index.html', 'site/.DS_Store', 'site/.git/config', 'site/.well-known/a', 'site/a/._b'];
  const picked = pickFolder(paths.map(fileAt));
  assert.deepEqual(pathsOf(picked), ['.well-known/a', 'index.html']);
  assert.deepEqual([picked.name, picked.kind === 'files' && picked.leftOut], ['site', 3]);
});

test('a dropped folder is read to its end', async () => {
  const files = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`${index}.js`, 'x']));
  const picked = await pickDropped(
    dropped(entryOf('site', { 'index.html': 'x', js: files, '.git': { a: 'x' } })),
  );
  assert.equal(picked.name, 'site');
  assert.deepEqual(pathsOf(picked), [...Object.keys(files).map((name) => `js/${name}`), 'index.html'].sort());
  assert.equal(picked.kind === 'files' && picked.leftOut, 1);
});

test('several things are the content of a folder; an archive alone stays what it is', async () => {
  const several = await pickDropped(dropped(entryOf('index.html', 'x'), entryOf('img', { 'a.png': 'x' })));
  assert.deepEqual(pathsOf(several), ['img/a.png', 'index.html']);
  assert.equal((await pickDropped(dropped(entryOf('Menu.ZIP', 'x')))).kind, 'zip');
  assert.equal(pickFile(new File([''], 'menu', { type: 'application/x-zip-compressed' })).kind, 'zip');
  assert.deepEqual(pathsOf(pickFile(new File([''], 'index.html'))), ['index.html']);
});

test('a folder of the first level can become the root', () => {
  const picked = pickFolder(['p/dist/index.html', 'p/dist/a/b', 'p/distant/c', 'p/README.md'].map(fileAt));
  const inside = onlyIn(picked, 'dist');
  assert.deepEqual([inside.name, pathsOf(inside)], ['p', ['a/b', 'index.html']]);
});

test('what is empty, endless or cannot be read is refused', async () => {
  assert.throws(() => pickFolder([]), ActionError);
  await assert.rejects(pickDropped(dropped()), ActionError);
  await assert.rejects(pickDropped(dropped(entryOf('empty', { more: {} }))), ActionError);
  await assert.rejects(pickDropped(dropped(entryOf('site', { 'a.txt': 'unreadable' }))), ActionError);
  let deep: Tree = { a: 'x' };
  for (let depth = 0; depth < 101; depth += 1) deep = { a: deep };
  await assert.rejects(pickDropped(dropped(entryOf('site', deep))), ActionError);
});
