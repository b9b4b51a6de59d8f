import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Qmp, QmpError } from './qmp.ts';

const GREETING = '{"QMP": {"version": {}, "capabilities": []}}\r\n';

/** A QMP server. It answers `qmp_capabilities`; the test answers all other commands. */
async function server(
  t: TestContext,
  onCommand: (command: { execute: string; id: string }, peer: Socket) => void,
) {
  const folder = await mkdtemp(join(tmpdir(), 'qmp-'));
  const path = join(folder, 's');
  const peers = new Set<Socket>();
  const listener = createServer((peer) => {
    peers.add(peer);
    peer.write(GREETING);
    peer.on('data', (chunk) => {
      for (const line of chunk.toString().trim().split('\n')) {
        const command: { execute: string; id: string } = JSON.parse(line);
        if (command.execute === 'qmp_capabilities') peer.write(`{"return": {}, "id": "${command.id}"}\r\n`);
        else onCommand(command, peer);
      }
    });
  }).listen(path);
  await once(listener, 'listening');
  t.after(async () => {
    for (const peer of peers) peer.destroy();
    listener.close();
    await rm(folder, { recursive: true });
  });
  return path;
}

test('answers are matched by id, in any order, split anywhere and mixed with events', async (t) => {
  const held: string[] = [];
  const path = await server(t, ({ id }, peer) => {
    held.push(id);
    if (held.length < 2) return;
    const text =
      `{"timestamp": {}, "event": "RESET", "data": {"guest": true}}\r\n` +
      `{"return": "second", "id": "${held[1]}"}\r\n{"return": "first", "id": "${held[0]}"}\r\n`;
    for (const byte of Buffer.from(text)) peer.write(Buffer.of(byte));
  });
  const qmp = await Qmp.connect(path);
  t.after(() => qmp.close());
  const reset = qmp.nextEvent('RESET', 60_000);
  const answers = await Promise.all([qmp.execute('one'), qmp.execute('two')]);
  assert.deepEqual(answers, ['first', 'second']);
  assert.deepEqual((await reset).data, { guest: true });
});

test('an error carries QEMU’s own message', async (t) => {
  const path = await server(t, ({ id }, peer) => {
    peer.write(`{"error": {"class": "DeviceNotFound", "desc": "Device 'x' not found"}, "id": "${id}"}\r\n`);
  });
  const qmp = await Qmp.connect(path);
  t.after(() => qmp.close());
  await assert.rejects(qmp.execute('eject'), (error) => {
    assert.ok(error instanceof QmpError);
    assert.equal(error.errorClass, 'DeviceNotFound');
    assert.match(error.message, /Device 'x' not found/);
    return true;
  });
});

test('a command without an answer fails at its time limit, pending ones when the connection ends', async (t) => {
  const peers: Socket[] = [];
  const path = await server(t, (_command, peer) => peers.push(peer));
  const qmp = await Qmp.connect(path);
  await assert.rejects(qmp.execute('quiet', undefined, 50), /waited 0.05 s for QMP quiet/);
  const open = assert.rejects(qmp.execute('cut'), /closed the QMP connection/);
  while (peers.length < 2) await new Promise(setImmediate);
  peers[0]?.destroy();
  await open;
  await assert.rejects(qmp.execute('late'), /closed/);
});

test('a line that is not QMP ends the connection', async (t) => {
  const path = await server(t, (_command, peer) => peer.write('{"hello": 1}\r\n'));
  const qmp = await Qmp.connect(path);
  await assert.rejects(qmp.execute('any'), /sent something that is not QMP: \{"hello":1\}/);
});
