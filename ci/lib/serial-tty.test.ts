import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  realpathSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openTty, type Tty } from '../../client/tty.ts';
import { waitFor, within } from '../../testing/wait.ts';
import { SerialTty } from './serial-tty.ts';

const MANY = 3 * 2 ** 20;
const LIMIT = { timeoutMs: 10_000 };

/** A device's serial link, with its tty. It greets each client. */
async function link(t: TestContext): Promise<{ tty: SerialTty; clients: Socket[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'tty-'));
  const clients: Socket[] = [];
  const server = createServer((client) => {
    clients.push(client);
    client.on('error', () => undefined);
    client.write('hello\n');
  }).listen(join(folder, 'serial.sock'));
  await once(server, 'listening');
  const tty = new SerialTty(join(folder, 'tty'), join(folder, 'serial.sock'));
  t.after(async () => {
    tty.close();
    for (const client of clients) client.destroy();
    server.close();
    await rm(folder, { recursive: true });
  });
  return { tty, clients };
}

/** Everything that has come, from now on. */
function received(stream: Tty | Socket): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  return () => text;
}

async function closed(port: Tty): Promise<void> {
  const gone = once(port, 'close');
  port.close();
  await within(gone, LIMIT.timeoutMs, 'the port to close');
}

test('each program that opens the tty is a new client of the serial link, which it leaves when it closes it', async (t) => {
  const { tty, clients } = await link(t);
  for (const count of [1, 2, 3]) {
    const port = await openTty(tty.path);
    const text = received(port);
    await waitFor(() => text() === 'hello\n', { ...LIMIT, what: 'the greeting' });
    assert.equal(clients.length, count);
    // Raw: nothing of this is edited, translated or echoed.
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const client = clients.at(-1);
    assert.ok(client);
    const said = received(client);
    port.write(bytes);
    await waitFor(() => said() === bytes.toString('latin1'), { ...LIMIT, what: 'all bytes' });
    client.write(bytes);
    await waitFor(() => text() === `hello\n${bytes.toString('latin1')}`, { ...LIMIT, what: 'all bytes' });
    const left = once(client, 'end');
    await closed(port);
    await within(left, LIMIT.timeoutMs, 'the client to leave');
  }
});

test('a program that opens the tty just when another has closed it is a new client, too', async (t) => {
  const { tty, clients } = await link(t);
  let file = openSync(tty.path, 'r+');
  await waitFor(() => clients.length === 1, { ...LIMIT, what: 'the first client' });
  for (const count of [2, 3]) {
    closeSync(file);
    file = openSync(tty.path, 'r+');
    const client = await waitFor(() => clients[count - 1], { ...LIMIT, what: `client ${count}` });
    const said = received(client);
    writeSync(file, 'a line\n');
    await waitFor(() => said() === 'a line\n', { ...LIMIT, what: 'the line' });
  }
  closeSync(file);
});

test('what a program writes before it closes the tty arrives', async (t) => {
  const { tty, clients } = await link(t);
  writeFileSync(tty.path, 'a line\n');
  const client = await waitFor(() => clients[0], { ...LIMIT, what: 'a client' });
  const said = received(client);
  await within(once(client, 'end'), LIMIT.timeoutMs, 'the client to leave');
  assert.equal(said(), 'a line\n');
});

test('a program or a device that does not read stops the other one, and nothing is lost', async (t) => {
  const { tty, clients } = await link(t);
  const port = await openTty(tty.path);
  const client = await waitFor(() => clients[0], { ...LIMIT, what: 'a client' });
  const bytes = randomBytes(MANY);
  const wanted = createHash('sha256').update(bytes).digest('hex');
  const sum = (stream: Tty | Socket): (() => boolean) => {
    const [hash, skip] = [createHash('sha256'), stream === port ? 6 : 0];
    let count = -skip;
    stream.on('data', (chunk: Buffer) => {
      hash.update(count < 0 ? chunk.subarray(-count) : chunk);
      count += chunk.length;
    });
    return () => count === MANY && hash.digest('hex') === wanted;
  };
  client.pause();
  port.write(bytes);
  client.write(bytes);
  await waitFor(() => client.writableLength > 0, { ...LIMIT, what: 'the device to be stopped' });
  const held = client.writableLength;
  const [down, up] = [sum(port), sum(client)];
  client.resume();
  await waitFor(down, { timeoutMs: 60_000, what: `all bytes, of which ${held} were held` });
  await waitFor(up, { timeoutMs: 60_000, what: 'all bytes to arrive' });
  await closed(port);
});

test('the end of the device is the end of the line, and of the link', async (t) => {
  const { tty, clients } = await link(t);
  const port = await openTty(tty.path);
  port.on('error', () => undefined).resume();
  const gone = once(port, 'close');
  const before = realpathSync(tty.path);
  (await waitFor(() => clients[0], { ...LIMIT, what: 'a client' })).destroy();
  await within(gone, LIMIT.timeoutMs, 'the port to close');
  assert.notEqual(realpathSync(tty.path), before);
  tty.close();
  assert.ok(!existsSync(tty.path));
  assert.throws(() => readFileSync(tty.path), { code: 'ENOENT' });
});
