import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { ZipFile } from 'yazl';
import { type BundleFile, type Locate, OpenBundles } from './open-bundles.ts';

async function zip(content: string): Promise<Buffer> {
  const file = new ZipFile();
  file.addBuffer(Buffer.from(content), 'index.html');
  file.end();
  return await buffer(file.outputStream);
}

async function folderFor(t: TestContext): Promise<(name: string, content: Buffer) => Promise<BundleFile>> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-open-'));
  t.after(() => rm(folder, { recursive: true }));
  return async (name, content) => {
    const path = join(folder, name);
    await writeFile(`${path}.new`, content);
    await rename(`${path}.new`, path);
    return { path, sha256: createHash('sha256').update(content).digest('hex'), size: content.length };
  };
}

/** Paths of this process's open files; deleted files have a suffix. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // the descriptor that read the folder itself
    }
  });
}

function opened(t: TestContext, locate: Locate): { bundles: OpenBundles; closed: string[] } {
  const closed: string[] = [];
  const bundles = new OpenBundles(locate, ({ file }) => closed.push(file.sha256));
  t.after(() => bundles.close());
  return { bundles, closed };
}

test('a bundle is opened once and stays open for the next request', async (t) => {
  const put = await folderFor(t);
  const file = await put('a.zip', await zip('one'));
  const { bundles, closed } = opened(t, () => file);
  const [first, second] = await Promise.all([bundles.take('a'), bundles.take('a')]);
  assert.ok(first);
  assert.equal(first, second);
  bundles.release(first);
  bundles.release(first);
  assert.equal(await bundles.take('a'), first);
  bundles.release(first);
  assert.deepEqual(closed, []);
});

test('a bundle that is replaced between lookup and open is opened again', async (t) => {
  const put = await folderFor(t);
  const old = await put('a.zip', await zip('old'));
  let asked = 0;
  let current = old;
  const { bundles, closed } = opened(t, () => {
    asked += 1;
    return asked === 1 ? old : current;
  });
  current = await put('a.zip', await zip('new'));
  const bundle = await bundles.take('a');
  assert.ok(bundle);
  assert.equal(bundle.file, current);
  // The wrong file was closed, if it could be read at all.
  assert.equal(bundles.size, 1);
  assert.ok(closed.length <= 1);
  bundles.release(bundle);
});

test('a deleted bundle is not found; an unreadable one is an error each time', async (t) => {
  const put = await folderFor(t);
  const file = await put('a.zip', await zip('one'));
  const answers: (BundleFile | undefined)[] = [file, undefined];
  const { bundles } = opened(t, () => answers.shift());
  assert.equal(await bundles.take('a'), undefined);

  const junk = await put('junk.zip', Buffer.from('no zip at all'));
  const broken = opened(t, () => junk);
  for (let attempt = 0; attempt < 2; attempt++)
    await assert.rejects(broken.bundles.take('a'), { name: 'ZipError' });
  assert.equal(broken.bundles.size, 0);

  const none = { ...file, path: `${file.path}.none` };
  const absent = opened(t, () => none);
  await assert.rejects(absent.bundles.take('a'), { code: 'ENOENT' });
});

test('a bundle that is replaced by the same bytes is opened again, which frees the old file', async (t) => {
  const put = await folderFor(t);
  const archive = await zip('one');
  const old = await put('a.zip', archive);
  let current = old;
  const { bundles } = opened(t, () => current);
  const first = await bundles.take('a');
  assert.ok(first);
  current = await put('a.zip', archive);
  const second = await bundles.take('a');
  assert.ok(second);
  assert.deepEqual([first.file, second.file, bundles.size], [old, current, 2]);
  bundles.release(first);
  assert.equal(bundles.size, 1);
  bundles.release(second);
});

test('closeUnused and close wait for archives that are being closed', async (t) => {
  const put = await folderFor(t);
  for (const method of ['closeUnused', 'close'] as const) {
    const file = await put('a.zip', await zip('one'));
    let current: BundleFile | undefined = file;
    const { bundles, closed } = opened(t, () => current);
    const bundle = await bundles.take('a');
    assert.ok(bundle);
    current = undefined;
    bundles.release(bundle);
    await bundles[method]();
    assert.ok(!openFiles().some((path) => path.startsWith(file.path)), method);
    assert.deepEqual(closed, [file.sha256]);
  }
});

test('opening a bundle that keeps changing fails', async (t) => {
  const put = await folderFor(t);
  const file = await put('a.zip', await zip('one'));
  const { bundles } = opened(t, () => ({ ...file }));
  await assert.rejects(bundles.take('a'), { name: 'TooManyOpen' });
  await bundles.close();
  assert.equal(bundles.size, 0);
});
