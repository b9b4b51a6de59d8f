import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, HELLO, request } from './tests/test-link.ts';

test('a shell takes the line and gives it back', async () => {
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

test('a shell dies with its link, and with all it started', async () => {
  const { port } = await connect();
  port.send('{"type":"shell"}\n');
  port.send('stty -echo; trap "" HUP; echo "p""id=$$="; sleep 1000\n');
  await port.until('pid=');
  const pid = Number((await port.until('=')).slice(0, -1));
  assert.ok(pid > 1);
  assert.doesNotThrow(() => process.kill(pid, 0));
  port.leave();
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    try {
      process.kill(pid, 0);
      await new Promise((resolve) => setTimeout(resolve, 20));
    } catch {
      break;
    }
  }
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  port.open();
  assert.deepEqual(await port.line(), HELLO);
});

test('what a shell says when it has to go is not for the next host', async () => {
  const { port } = await connect({ shellCommand: ['/bin/sh'] });
  port.send('{"type":"shell"}\n');
  port.send('stty -echo; trap "echo stray; exit" HUP; echo "p""id=$$="; while :; do sleep 0.1; done\n');
  await port.until('pid=');
  const pid = Number((await port.until('=')).slice(0, -1));
  port.leave();
  port.open();
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  port.send(request(1, 'POST', '/echo', { body: { value: 'clean' } }));
  assert.deepEqual(await port.line(), HELLO);
  assert.deepEqual((await port.line()).body, { value: 'clean' });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a shell whose output nobody reads waits', async () => {
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

test('where there is no shell the link says so and goes on', async () => {
  const { port } = await connect({ shellCommand: ['/nonexistent/shell'] });
  port.send('{"type":"shell"}\n');
  assert.equal((await port.line()).type, 'error');
  port.send(request(1, 'POST', '/echo', { body: { value: 1 } }));
  assert.equal((await port.line()).status, 200);
});
