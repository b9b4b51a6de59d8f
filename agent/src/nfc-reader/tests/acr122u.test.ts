import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { feedbackCommand, isExtended, settingsCommands } from '../acr122u/commands.ts';
import { readerId, readUsbDevices } from '../acr122u/reader-id.ts';
import type { Program } from '../program.ts';
import { ModelAgent, programAt } from './model-agent.ts';
import { ModelAcr, ModelPcscd } from './model-pcsc.ts';
import { ModelType2, ModelType4, modelClassic } from './model-tags.ts';

const ID = 'acr122u-0';

let agent: ModelAgent;
let program: Program;
let pcscd: ModelPcscd;
let acr: ModelAcr;

beforeEach(async () => {
  pcscd = new ModelPcscd();
  // A place that this computer does not have: the id comes from the name.
  acr = new ModelAcr('ACS ACR122U PICC Interface 00 00', 'fefe0020');
  pcscd.plug(acr);
  agent = await ModelAgent.start();
  program = programAt(agent, { pcsc: { createClient: pcscd.createClient } });
  program.start();
});

afterEach(async () => {
  await program.stop();
  await agent.stop();
  assert.equal(acr.open, 0, 'connections to the reader');
});

test('commands of the manual (API V2.04, sections 6.2, 6.5 and 6.7)', () => {
  const hex = (commands: Buffer[]): string[] => commands.map((command) => command.toString('hex'));
  assert.deepEqual(
    hex([
      feedbackCommand('green', undefined),
      feedbackCommand('orange', 0),
      feedbackCommand('off', 150),
      feedbackCommand(undefined, 10_000),
    ]),
    ['ff00400e0400000000', 'ff00400f0400000000', 'ff00400c0402000101', 'ff0040000464000101'],
  );
  const fast = settingsCommands({ pollMs: 250, feedbackOnDetect: true });
  const slow = settingsCommands({ pollMs: 500, feedbackOnDetect: false });
  assert.deepEqual(hex(fast), ['ff0051ff00', 'ff0052ff00']);
  assert.deepEqual(hex(slow), ['ff0051df00', 'ff00520000']);
  const extended = ['00b00000000100', '00d6000000010055'].map((apdu) => isExtended(Buffer.from(apdu, 'hex')));
  const short = ['00b00000', '00b0000000', '00a4040001d200'].map((apdu) =>
    isExtended(Buffer.from(apdu, 'hex')),
  );
  assert.deepEqual(
    [extended, short],
    [
      [true, true],
      [false, false, false],
    ],
  );
});

test('ids name the USB port', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nfc-usb-'));
  try {
    for (const [place, bus, device] of [
      ['usb1', 1, 1],
      ['1-1.2', 1, 5],
      ['2-1', 2, 5],
    ] as const) {
      await mkdir(join(folder, place));
      await writeFile(join(folder, place, 'busnum'), `${bus}\n`);
      await writeFile(join(folder, place, 'devnum'), `${device}\n`);
    }
    await mkdir(join(folder, '1-1.2:1.0'));
    const devices = await readUsbDevices(folder);
    const name = 'ACS ACR122U PICC Interface 0A 00';
    assert.equal(readerId(name, Buffer.of(5, 1, 0x20, 0), devices), 'acr122u-1-1.2');
    assert.equal(readerId(name, Buffer.of(5, 2, 0x20, 0), devices), 'acr122u-2-1');
    assert.equal(readerId(name, Buffer.of(6, 2, 0x20, 0), devices), 'acr122u-10');
    assert.equal(readerId(name, undefined, devices), 'acr122u-10');
    assert.deepEqual(await readUsbDevices(join(folder, 'none')), []);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('tags, NDEF, APDUs and feedback', async () => {
  await agent.configure();
  await agent.present(ID);
  assert.deepEqual(agent.readers?.readers[0]?.has_led, true);
  assert.deepEqual(acr.commands.slice(0, 2), ['ff0051ff00', 'ff0052ff00']);

  const ntag = ModelType2.ntag215();
  acr.put(ntag);
  const first = await agent.tag(1);
  assert.deepEqual(
    [first.uid, first.atqa, first.sak, first.techs],
    ['04A1B2C3D4E5F6', '0044', '00', ['ndef']],
  );
  const message = Buffer.alloc(200, 7).toString('base64');
  assert.equal((await agent.call('write_ndef', { reader: ID, tag: 1, message })).written_bytes, 200);
  assert.equal((await agent.call('feedback', { reader: ID, led: 'red', buzzer_ms: 100 })).ok, true);
  assert.equal(acr.commands.at(-1), 'ff00400d0401000101');

  acr.take();
  await agent.until('the tag to leave', () => agent.gone.includes(1));
  assert.equal((await agent.call('feedback', { reader: ID, led: 'off' })).ok, true);
  acr.put(ntag);
  assert.equal((await agent.tag(2)).ndef, message);

  acr.take();
  const card = new ModelType4();
  acr.put(card);
  const third = await agent.tag(3);
  assert.deepEqual([third.sak, third.techs], ['20', ['iso-dep', 'ndef']]);
  const call = (apdu: Buffer): Promise<Record<string, unknown>> =>
    agent.call('transceive', { reader: ID, tag: 3, apdu: apdu.toString('base64') });
  assert.equal((await call(Buffer.from('00a4040007d276000085010100', 'hex'))).response, 'kAA=');
  assert.equal((await call(Buffer.from('00b00000000100', 'hex'))).code, 'unsupported');
  // The reader would stop looking for tags.
  assert.equal((await call(Buffer.from('ff00510000', 'hex'))).code, 'unsupported');
  assert.ok(!acr.commands.includes('ff00510000'));
  acr.take();
  assert.equal((await call(Buffer.from('00a4040007d276000085010100', 'hex'))).code, 'no_tag');

  acr.put(modelClassic());
  assert.deepEqual((await agent.tag(4)).techs, []);
});

test('a tag that leaves at any command of a write', async () => {
  await agent.configure();
  await agent.present(ID);
  const states = new Set<unknown>();
  for (let at = 0, isDone = false; !isDone; at++) {
    const tag = ModelType2.ultralight();
    acr.put(tag);
    const { tag: number } = await agent.tag(at + 1);
    const answer = tag.answer.bind(tag);
    let left = at;
    tag.answer = (data) => {
      if (left-- === 0) acr.take();
      return acr.tag ? answer(data) : undefined;
    };
    const message = Buffer.alloc(20, 1).toString('base64');
    const { ok, code, tag_state } = await agent.call('write_ndef', { reader: ID, tag: number, message });
    isDone = ok === true;
    if (!isDone) assert.equal(code, 'no_tag');
    states.add(tag_state);
    acr.take();
    await agent.until('the tag to leave', () => agent.gone.includes(number));
  }
  assert.deepEqual([...states].map(String).sort(), ['empty', 'unchanged', 'undefined', 'unknown', 'written']);
});

test('unplugged and plugged in again, many times; pcscd is killed and starts again', async () => {
  await agent.configure({ backend: 'acr122u' });
  await agent.present(ID);
  for (let round = 1; round <= 5; round++) {
    acr.put(ModelType2.ntag213());
    await agent.tag(round);
    pcscd.unplug(acr);
    await agent.present();
    acr.tag = undefined;
    pcscd.plug(acr);
    await agent.present(ID);
  }
  assert.deepEqual(agent.gone, []);
  assert.equal(agent.readers?.readers.length, 1);

  pcscd.kill();
  await agent.present();
  pcscd.isRunning = true;
  await agent.present(ID);
  assert.equal(pcscd.clients, 2);
});

test('at most 16 readers are listed: one that is gone makes room', async () => {
  await agent.configure();
  await agent.present(ID);
  for (let number = 1; number <= 17; number++) {
    const hex = number.toString(16).toUpperCase().padStart(2, '0');
    const other = new ModelAcr(`ACS ACR122U PICC Interface ${hex} 00`, 'fefe0020');
    pcscd.plug(other);
    await agent.present(ID, `acr122u-${number}`);
    pcscd.unplug(other);
    await agent.present(ID);
  }
  assert.equal(agent.readers?.readers.length, 16);
});

test('a driver that allows no escape commands: the reader works, with light and sound while a tag is there', async () => {
  acr.allowsEscape = false;
  await agent.configure();
  await agent.present(ID);
  assert.equal((await agent.call('feedback', { reader: ID, led: 'red' })).code, 'failed');
  acr.put(ModelType2.ntag213());
  await agent.tag(1);
  assert.equal((await agent.call('feedback', { reader: ID, led: 'red' })).ok, true);
});

test('without pcscd and without a reader, the problem is said', async () => {
  pcscd.unplug(acr);
  await agent.configure({ backend: 'acr122u' });
  await agent.until('a problem', () => agent.readers?.problem === 'No ACR122U is found.');
  pcscd.kill();
  await agent.until('a problem', () => /pcscd|PC\/SC/.test(agent.readers?.problem ?? ''));
});

test('while pcscd does not answer, its readers are gone, and that is said', async () => {
  await agent.configure({ backend: 'acr122u' });
  await agent.present(ID);
  pcscd.hang(true);
  await agent.until('a problem', () => /does not answer/.test(agent.readers?.problem ?? ''));
  await agent.present();
  pcscd.hang(false);
  await agent.present(ID);
  assert.equal(agent.readers?.problem, undefined);
});
