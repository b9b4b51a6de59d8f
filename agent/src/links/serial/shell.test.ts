import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRunning } from '../../../../testing/processes.ts';
import { waitFor } from '../../../../testing/wait.ts';
import { connect, HELLO, request } from './tests/test-link.ts';

test('a shell takes over the line and gives it back', async () => {
  const { port } = await connect();
  port.send({ type: 'subscribe', topics: ['display_state'] });
  await port.line();
  port.send('{"type":"shell"}\n');
  port.send('stty -echo; echo "begin $((6 * 7)) <$NOTIFY_SOCKET>"; tty\n');
  await port.until('begin 42 <>');
  await port.until('/dev/pts/');
  port.send('printf half; exit\n');
  await port.until('\n{"type":"hello"');
  await port.until('\n');
  port.send(request(1, 'POST', '/echo', { body: { value: 'back' } }));
  assert.deepEqual((await port.line()).body, { value: 'back' });
});

test('a shell and its children end when the host leaves', async () => {
  const { port } = await connect();
  port.send('{"type":"shell"}\n');
  port.send('stty -echo; trap "" HUP; echo "p""id=$$="; sleep 1000\n');
  await port.until('pid=');
  const pid = Number((await port.until('=')).slice(0, -1));
  assert.ok(pid > 1);
  assert.ok(isRunning(pid));
  port.leave();
  await waitFor(() => !isRunning(pid), { timeoutMs: 60_000, what: 'the end of the shell', intervalMs: 20 });
  port.open();
  assert.deepEqual(await port.line(), HELLO);
});

test('the next host does not get the last output of a shell', async () => {
  const { port } = await connect({ shellCommand: ['/bin/sh'] });
  port.send('{"type":"shell"}\n');
  port.send('stty -echo; trap "echo stray; exit" HUP; echo "p""id=$$="; while :; do sleep 0.1; done\n');
  await port.until('pid=');
  const pid = Number((await port.until('=')).slice(0, -1));
  port.leave();
  port.open();
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  port.send(request(1, 'POST', '/echo', { body: { value: 'clean' } }));
  assert.deepEqual(await port.line(), HELLO);
  assert.deepEqual((await port.line()).body, { value: 'clean' });
});

test('a shell is paused while nobody reads its output', async () => {
  const { port } = await connect({ shellCommand: ['/bin/sh'] });
  port.send('{"type":"shell"}\n');
  port.reading = false;
  port.send('PS1=%"%"; yes\n');
  while (port.pendingBytes < 256 * 1024) await new Promise(setImmediate);
  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
  assert.ok(port.pendingBytes < 1024 * 1024, `${port.pendingBytes} bytes wait`);
  port.reading = true;
  port.send('\u0003');
  await port.until('%%');
  port.send('exit\n');
  await port.until('{"type":"hello"');
});

test('without a shell the link answers an error and goes on', async () => {
  const { port } = await connect({ shellCommand: ['/nonexistent/shell'] });
  port.send('{"type":"shell"}\n');
  assert.equal((await port.line()).type, 'error');
  port.send(request(1, 'POST', '/echo', { body: { value: 1 } }));
  assert.equal((await port.line()).status, 200);
});

test('a program that does not read its input does not block the agent, and gets it later', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-shell-'));
  t.after(() => rm(folder, { recursive: true }));
  const go = join(folder, 'go');
  const { port } = await connect({ shellCommand: ['/bin/sh'] });
  const input = randomBytes(40_000);
  port.send('{"type":"shell"}\n');
  const wait = `while [ ! -e ${go} ]; do sleep 0.02; done`;
  port.send(`stty raw -echo; echo "rea""dy"; ${wait}; head -c ${input.length} | sha256sum; exit\n`);
  await port.until('ready');
  port.send(input);
  // More than fits is dropped, as on any terminal.
  for (let count = 0; count < 20; count += 1) port.send(Buffer.alloc(60_000));
  await writeFile(go, '');
  await port.until(createHash('sha256').update(input).digest('hex'));
  await port.until('\n{"type":"hello"');
});
