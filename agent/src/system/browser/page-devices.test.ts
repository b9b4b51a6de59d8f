/** Which pages get the channel for peripherals: what a browser is told, and when. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrowserStage, type Command, send, until } from '../../../../testing/browser-stage.ts';
import { PageDevices } from './page-devices.ts';

const ORIGIN = 'https://till.example';
const OPEN = { event: 'channel', kind: 'devices', channel: 9, open: true, origin: ORIGIN };
const MESSAGE = { event: 'message', channel: 9, origin: ORIGIN };

test('every browser is told the last list before it can be told to load a page', async () => {
  const stage = await BrowserStage.create();
  try {
    await stage.browser.start();
    stage.browser.on(['connected'], () => {
      // Both connections may end before their answer has been read.
      stage.browser.load('https://till.example/').accepted.catch(() => undefined);
    });
    const commands: Command[] = [];
    const answer = (command: Command) => {
      commands.push(command);
      return { ok: true };
    };
    const first = await stage.greet(answer);
    await until('the load', () => commands.length === 1);
    stage.browser.serveDevices(['https://old.example'], 'old()');
    stage.browser.serveDevices([ORIGIN], 'now()');
    await until('both lists', () => commands.length === 3);
    first.destroy();
    await until('the end of the connection', () => !stage.browser.connected);
    await stage.greet(answer);
    await until('the load again', () => commands.length === 5);
    const devices = { command: 'devices', origins: [ORIGIN], script: 'now()' };
    const load = { command: 'load', uri: 'https://till.example/' };
    assert.deepEqual(
      commands.map(({ id: _, ...fields }) => fields),
      [load, { ...devices, origins: ['https://old.example'], script: 'old()' }, devices, devices, load],
    );
  } finally {
    await stage.close();
  }
});

test('a page with devices sends and gets messages; one that is not JSON costs no credits', async () => {
  const stage = await BrowserStage.create();
  try {
    await stage.browser.start();
    const commands: Command[] = [];
    const socket = await stage.greet((command) => {
      commands.push(command);
      return { ok: true };
    });
    const got = () => stage.events.slice(1);
    send(socket, OPEN);
    await until('the channel', () => got().length === 1);
    stage.browser.credit(9, 2);
    for (const data of ['{', '{"id":1}']) send(socket, { ...MESSAGE, data });
    await until('the message', () => got().length === 2);
    await stage.browser.send(9, '{"id":1,"result":{}}');
    send(socket, { ...OPEN, open: false });
    await until('the close', () => got().length === 3);
    const event = { event: 'device_channel', channel: 9, open: true, origin: ORIGIN };
    assert.deepEqual(got(), [
      event,
      { event: 'device_message', channel: 9, data: '{"id":1}' },
      { ...event, open: false },
    ]);
    assert.deepEqual(
      commands.map(({ id: _, ...fields }) => fields),
      [
        { command: 'credit', channel: 9, size: 2 },
        { command: 'credit', channel: 9, size: 1 },
        { command: 'message', channel: 9, data: '{"id":1,"result":{}}' },
      ],
    );
  } finally {
    await stage.close();
  }
});

test('a list or a script that is too long is refused, and changes nothing', () => {
  const sent: unknown[] = [];
  const devices = new PageDevices({ send: async (fields) => sent.push(fields) });
  const origins = Array.from({ length: 129 }, (_, n) => `https://${n}.example`);
  const script = 'é'.repeat(128 * 1024);
  assert.throws(() => devices.serve(origins, ''), RangeError);
  assert.throws(() => devices.serve([], `${script}x`), RangeError);
  devices.connected();
  assert.deepEqual(sent, []);
  devices.serve(origins.slice(1), script);
  devices.connected();
  const all = { origins: origins.slice(1), script };
  assert.deepEqual(sent, [all, all]);
});
