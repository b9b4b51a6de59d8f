import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createReadStream, openSync, type ReadStream, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { afterEach, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { type Cable, connectTerminals } from '../../../testing/terminals.ts';
import { waitFor } from '../../../testing/wait.ts';
import { unwatched } from '../base/watch.ts';
import type { IoEvent } from './driver.ts';
import { SerialDriver } from './serial.ts';
import { termiosOf } from './serial-ioctl.ts';

const WAIT = { timeoutMs: 20_000, intervalMs: 5 };
const PORT = {
  ...{ handle: 1, baudRate: 115_200, dataBits: 8, stopBits: 1 },
  ...{ parity: 'none', flowControl: 'none' },
};

let cable: Cable;
let events: IoEvent[];
let driver: SerialDriver;

beforeEach(async () => {
  cable = await connectTerminals();
  events = [];
  driver = new SerialDriver({ emit: (event) => events.push(event), watch: unwatched }, /^\/dev\/pts\/\d+$/);
});

afterEach(async () => {
  await driver.closeAll();
  cable.close();
});

const openPort = (options: object = {}): Promise<object> =>
  driver.execute('open', { ...PORT, node: cable.device, ...options });
const credit = (bytes: number): Promise<object> => driver.execute('credit', { handle: 1, bytes });
const write = (data: string): Promise<object> =>
  driver.execute('write', { handle: 1, data: Buffer.from(data).toString('base64') });

/** All that was received. */
function received(): Buffer {
  return Buffer.concat(
    events.flatMap((event) => (event.event === 'data' ? [Buffer.from(event.data, 'base64')] : [])),
  );
}

/** What comes out of the other end. */
function hostReads(): { stream: ReadStream; text: () => string } {
  const stream = createReadStream(cable.host);
  let text = '';
  stream.on('data', (piece) => {
    text += piece;
  });
  stream.on('error', () => undefined);
  return { stream, text: () => text };
}

test('all bytes pass unchanged in both directions', async () => {
  await openPort();
  const host = await open(cable.host, 'r+');
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
  await credit(65_536);
  await host.write(bytes);
  await waitFor(() => received().length >= 256, { ...WAIT, what: '256 bytes' });
  assert.deepEqual(received(), bytes);
  await host.write('later');
  await waitFor(() => received().length === 261, { ...WAIT, what: 'what comes later' });
  await driver.execute('write', { handle: 1, data: bytes.toString('base64') });
  const read = Buffer.alloc(256);
  for (let at = 0; at < 256; ) at += (await host.read(read, at)).bytesRead;
  assert.deepEqual(read, bytes);
  await host.close();
});

test('nothing is read without credit, and nothing is lost', async () => {
  await openPort();
  const host = openSync(cable.host, 'r+');
  writeSync(host, 'x'.repeat(1000));
  await credit(10);
  await waitFor(() => received().length === 10, { ...WAIT, what: 'the credit' });
  await driver.execute('drain', { handle: 1 });
  assert.equal(received().length, 10);
  await credit(990);
  await waitFor(() => received().length === 1000, { ...WAIT, what: 'the rest' });
});

test('a write waits until the driver takes it, and a flush ends it', async () => {
  await openPort();
  // Nobody reads the other end: the terminals are full at some time.
  const long = write('x'.repeat(500_000));
  const second = write('y');
  const late = Symbol('late');
  assert.equal(await Promise.race([long, new Promise((resolve) => setImmediate(resolve, late))]), late);
  const ended = Promise.all([
    assert.rejects(long, { name: 'AbortError' }),
    assert.rejects(second, { name: 'AbortError' }),
  ]);
  await driver.execute('flush', { handle: 1, direction: 'out' });
  await ended;
  const { stream, text } = hostReads();
  await write('z');
  await waitFor(() => text().endsWith('z'), { ...WAIT, what: 'the next write' });
  assert.ok(!text().includes('y'));
  stream.destroy();
});

test('a port that is closed ends what waits; one that is unplugged is reported once', async () => {
  await openPort();
  const waiting = write('x'.repeat(500_000));
  const aborted = assert.rejects(waiting, { name: 'AbortError' });
  await driver.execute('close', { handle: 1 });
  await aborted;
  assert.deepEqual(events, []);
  await assert.rejects(write('x'), { name: 'InvalidStateError' });

  await openPort({ handle: 2 });
  cable.close();
  await waitFor(() => events.length > 0, { ...WAIT, what: 'the loss, without credit' });
  await driver.execute('close', { handle: 2 });
  assert.deepEqual(
    events.map(({ event, handle }) => [event, handle]),
    [['closed', 2]],
  );
});

test('a port is open once, and only ttys are ports', async () => {
  await openPort();
  await assert.rejects(openPort(), { name: 'InvalidStateError' });
  await assert.rejects(openPort({ handle: 2, node: '/dev/null' }), { name: 'NotFoundError' });
  await assert.rejects(openPort({ handle: 2, node: '/dev/pts/99999' }), { name: 'NetworkError' });
  await assert.rejects(openPort({ handle: 2, dataBits: 6 }), { name: 'TypeError' });
  await openPort({ handle: 3, node: cable.host });
  // A pseudo terminal has no modem lines.
  await assert.rejects(driver.execute('set_signals', { handle: 1, dataTerminalReady: true }), {
    name: 'NetworkError',
  });
  await assert.rejects(driver.execute('get_signals', { handle: 1 }), { name: 'NetworkError' });
});

test('the terminal gets the options', async () => {
  await openPort({ stopBits: 2, parity: 'odd', flowControl: 'hardware' });
  const { stdout } = await promisify(execFile)('stty', ['-F', cable.device, '-a']);
  for (const setting of [
    'cstopb',
    'parodd',
    'crtscts',
    'clocal',
    'hupcl',
    'parmrk',
    'inpck',
    '-opost',
    '-icanon',
    '-echo',
    '-isig',
    '-ixon',
  ]) {
    assert.ok(stdout.split(/[\s;]+/).includes(setting), `${setting} in ${stdout}`);
  }
  // A pseudo terminal has 8 bits without parity, and stty may not know the speed.
  const options = {
    baudRate: 250_000,
    dataBits: 7,
    stopBits: 1,
    parity: 'even',
    flowControl: 'none',
  } as const;
  const termios = termiosOf(options);
  assert.equal(termios.readUInt32LE(8) & 0o1460, 0o440, 'CS7, PARENB, not PARODD');
  assert.deepEqual([termios.readUInt32LE(36), termios.readUInt32LE(40)], [250_000, 250_000]);
});
