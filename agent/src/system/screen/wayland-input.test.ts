import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { waitFor } from '../../../../testing/wait.ts';
import { WaylandInput } from './wayland-input.ts';

let folder: string;
let session: string;
let input: WaylandInput;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-input-'));
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  session = join(folder, String(uid));
  await mkdir(session);
  await writeFile(join(folder, 'passwd'), `kiosk:x:${uid}:${gid}::/:/bin/false\n`);
  await writeFile(join(session, 'wayland-1'), '');
  input = open(10_000);
});
afterEach(async () => {
  input.stop();
  // A program that was told to end may still write its last line.
  await rm(folder, { recursive: true, maxRetries: 5 });
});

function open(timeoutMs: number): WaylandInput {
  const passwd = join(folder, 'passwd');
  return new WaylandInput({ command: join(folder, 'program'), runtimeFolders: folder, passwd, timeoutMs });
}

/** A program that notes its lines and its end, and runs `script` for each line. */
async function program(script: string): Promise<void> {
  const text = `#!/bin/sh
echo "$XDG_RUNTIME_DIR $WAYLAND_DISPLAY" >${folder}/started
echo ready
while read -r line; do echo "$line" >>${folder}/lines; ${script}; done
echo end >>${folder}/lines
`;
  await writeFile(join(folder, 'program'), text, { mode: 0o755 });
}

const noted = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim().split('\n');
const DONE = '[ "$line" != sync ] || echo done';

test('starts the program in the compositor’s session, waits for its answers, and ends it', async () => {
  await program(DONE);
  assert.equal(input.isRunning, false);
  await input.start();
  assert.deepEqual(await noted('started'), [`${session} wayland-1`]);
  await input.send(['move 1 2', 'button 272 1']);
  assert.deepEqual(await noted('lines'), ['move 1 2', 'button 272 1', 'sync']);
  assert.equal(input.isRunning, true);
  input.stop();
  assert.equal(input.isRunning, false);
  await waitFor(async () => (await noted('lines')).at(-1) === 'end', {
    timeoutMs: 10_000,
    what: 'the program to end',
  });
});

test('rejects with the reason of the program when it ends, and notices that', async () => {
  await program('[ "$line" != "key 1 1" ] || { echo "no keymap" >&2; exit 1; }');
  await input.start();
  await assert.rejects(input.send(['key 1 1']), { message: 'no keymap' });
  assert.equal(input.isRunning, false);
  await assert.rejects(input.send([]), /no virtual pointer/);
});

test('an end between two requests is noticed', async () => {
  await program(`${DONE}; [ "$line" != sync ] || exit 0`);
  await input.start();
  await input.send([]);
  await waitFor(() => !input.isRunning, { timeoutMs: 10_000, what: 'the end to be noticed' });
});

test('a program that gives no answer is ended', async () => {
  await program('true');
  input = open(500);
  await input.start();
  await assert.rejects(input.send(['move 1 2']), /not done after 500 ms/);
  assert.equal(input.isRunning, false);
});

test('rejects without a compositor, and without the program', async () => {
  await assert.rejects(input.start(), /ENOENT/);
  assert.equal(input.isRunning, false);
  await rm(join(session, 'wayland-1'));
  await assert.rejects(input.start(), /no compositor/);
});
