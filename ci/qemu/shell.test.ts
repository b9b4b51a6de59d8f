import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { GuestShell, shellQuote, splitAtMark } from './shell.ts';

/** A real sh behind a unix socket, like the guest's shell behind a virtio port. */
async function shell(t: TestContext): Promise<GuestShell> {
  const folder = await mkdtemp(join(tmpdir(), 'shell-'));
  const path = join(folder, 's');
  const listener = createServer((peer) => {
    const child = spawn('sh', [], { stdio: ['pipe', 'pipe', 'ignore'] });
    peer.pipe(child.stdin);
    child.stdout.pipe(peer);
    peer.on('error', () => undefined);
    peer.on('close', () => child.kill());
  }).listen(path);
  await once(listener, 'listening');
  const connected = await GuestShell.connect(path);
  t.after(async () => {
    connected.close();
    listener.close();
    await rm(folder, { recursive: true });
  });
  await connected.ready(60_000);
  return connected;
}

test('a script’s output and exit code are returned unchanged, including quotes', async (t) => {
  const guest = await shell(t);
  assert.deepEqual(await guest.run(`printf '%s' "it's"; exit 3`), { code: 3, output: "it's" });
  assert.deepEqual(await guest.run('echo to stderr >&2\necho; echo two'), {
    code: 0,
    output: 'to stderr\n\ntwo\n',
  });
  assert.deepEqual(await guest.run('true'), { code: 0, output: '' });
  const big = await guest.run('seq 1 200000');
  assert.equal(big.output.length, 1_288_895);
});

test('scripts that are started at once run one after the other', async (t) => {
  const guest = await shell(t);
  const all = await Promise.all([1, 2, 3].map((n) => guest.ok(`echo ${n}`)));
  assert.deepEqual(all, ['1', '2', '3']);
});

test('a script is killed at its time limit, and the shell stays usable', async (t) => {
  const guest = await shell(t);
  await assert.rejects(guest.run('echo begun; sleep 60', 4000), /still running after 4 s[\s\S]*begun/);
  assert.equal(await guest.ok('echo still here'), 'still here');
});

test('a restart of the guest ends the running command at once', async (t) => {
  const guest = await shell(t);
  const open = assert.rejects(guest.run('sleep 1'), /the guest restarted/);
  await new Promise(setImmediate);
  guest.restarted();
  await open;
});

test('the end mark is found only when it is complete and on its own line', () => {
  assert.equal(splitAtMark('x@@t:0\n', '@@t'), undefined);
  assert.equal(splitAtMark('x\n@@t:', '@@t'), undefined);
  assert.deepEqual(splitAtMark('a\r\nb\n@@t:12\r\nrest', '@@t'), { output: 'a\nb', code: 12, rest: 'rest' });
  assert.equal(shellQuote("a'b"), `'a'\\''b'`);
});
