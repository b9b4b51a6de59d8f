import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { unwatched } from '../../base/watch.ts';
import { openPn532 } from '../pn532/reader.ts';
import type { Program } from '../program.ts';
import type { Settings } from '../protocol.ts';
import { type Candidate, candidatesOf } from '../readers.ts';
import { ModelAgent, programAt, SETTINGS } from './model-agent.ts';
import { ModelChip } from './model-chip.ts';
import { ModelType2, ModelType4, modelClassic } from './model-tags.ts';

const I2C = 'pn532-i2c-1-24';
const SPI = 'pn532-spi-0-0';

let agent: ModelAgent;
let program: Program;
/** The chip at each reader, if it has one. */
let chips: Map<string, ModelChip>;
let opened: string[];

/** Those of the settings, with model chips. */
function candidates(settings: Settings): Candidate[] {
  return candidatesOf(settings, unwatched).map(({ id, backend }) => ({
    id,
    backend,
    open: async () => {
      const chip = chips.get(id);
      if (!chip) throw new Error(`No PN532 at ${id}.`);
      opened.push(id);
      chip.isClosed = false;
      return await openPn532(Promise.resolve(chip));
    },
  }));
}

beforeEach(async () => {
  chips = new Map([[I2C, new ModelChip()]]);
  opened = [];
  agent = await ModelAgent.start();
  program = programAt(agent, { candidates, pcsc: { createClient: () => assert.fail('no PC/SC here') } });
  program.start();
});

afterEach(async () => {
  await program.stop();
  await agent.stop();
});

const chip = (): ModelChip => chips.get(I2C) ?? assert.fail('no chip');

const APDU = { reader: I2C, tag: 1, apdu: 'AKQEAA==' };

/** Sends an APDU that the chip acknowledges, and works on until it is not busy any more. */
async function sendSlowly(): Promise<Promise<Record<string, unknown>>[]> {
  const read = chip().read.bind(chip());
  chip().read = async (length) => {
    const bytes = await read(length);
    if (length === 6 && chip().commands.at(-1) === '400100a40400') chip().isBusy = true;
    return bytes;
  };
  const sent = agent.call('transceive', APDU);
  await agent.until('the APDU', () => chip().isBusy);
  chip().read = read;
  return [sent];
}

test('readers, then tags; a write, an APDU, and what is refused', async () => {
  const [ntag, card] = [ModelType2.ntag213(), new ModelType4()];
  chip().put(ntag);
  await agent.configure({ backend: 'pn532-i2c' });
  const first = await agent.tag(1);
  assert.deepEqual([...new Set(agent.events)], ['connected', 'readers', 'tag']);
  assert.deepEqual(agent.readers?.readers, [
    {
      ...{ reader: I2C, backend: 'pn532-i2c', present: true, techs: ['iso-dep', 'ndef'] },
      ...{ has_led: false, has_buzzer: false },
    },
  ]);
  assert.deepEqual(first, {
    ...{ event: 'tag', reader: I2C, tag: 1, uid: '04A1B2C3D4E5F6', atqa: '0044', sak: '00', techs: ['ndef'] },
  });

  const message = Buffer.from('hello').toString('base64');
  const { written_bytes } = await agent.call('write_ndef', { reader: I2C, tag: 1, message });
  assert.equal(written_bytes, 5);
  assert.equal(ntag.pages.subarray(18, 23).toString(), 'hello');

  const kept = await agent.call('write_ndef', { reader: I2C, tag: 1, message, if_empty: true });
  assert.deepEqual([kept.ok, kept.code, kept.tag_state], [false, 'not_empty', undefined]);
  await agent.call('write_ndef', { reader: I2C, tag: 1, message: '' });
  const fresh = await agent.call('write_ndef', { reader: I2C, tag: 1, message, if_empty: true });
  assert.equal(fresh.written_bytes, 5);

  chip().put(card);
  const second = await agent.tag(2);
  assert.deepEqual([second.tag, second.sak, second.techs], [2, '20', ['iso-dep', 'ndef']]);
  card.custom = (apdu) => (apdu[0] === 0x90 ? Buffer.of(1, 2, 0x91, 0x00) : undefined);
  const answer = await agent.call('transceive', { reader: I2C, tag: 2, apdu: 'kGAAAAA=' });
  assert.equal(answer.response, Buffer.of(1, 2, 0x91, 0x00).toString('base64'));

  const refused: readonly [string, object, string][] = [
    ['transceive', { reader: I2C, tag: 1, apdu: 'kGAAAAA=' }, 'unsupported'],
    ['transceive', { reader: I2C, tag: 2, apdu: 'kGA=' }, 'refused'],
    ['transceive', { reader: I2C, tag: 2, apdu: 'kGAAAAA' }, 'refused'],
    ['transceive', { reader: 'other', tag: 2, apdu: 'kGAAAAA=' }, 'no_reader'],
    ['transceive', { reader: I2C, tag: 7, apdu: 'kGAAAAA=' }, 'no_tag'],
    ['write_ndef', { reader: I2C, tag: 1, message: Buffer.alloc(200).toString('base64') }, 'unsupported'],
    ['feedback', { reader: I2C, led: 'green' }, 'unsupported'],
    ['transceive', { reader: I2C }, 'refused'],
    ['dance', {}, 'refused'],
  ];
  for (const [command, fields, code] of refused) {
    const answer = await agent.call(command, fields);
    assert.deepEqual([answer.ok, answer.code], [false, code], `${command} ${JSON.stringify(fields)}`);
  }

  chip().take(ntag);
  await agent.until('the tag to leave', () => agent.gone.length > 0);
  assert.deepEqual(agent.gone, [1]);
  const late = await agent.call('write_ndef', { reader: I2C, tag: 1, message });
  assert.deepEqual([late.code, late.tag_state], ['no_tag', 'unchanged']);
});

test('a tag that leaves half-way: the write says what it contains, and the read gives the tag without a message', async () => {
  const ntag = ModelType2.ntag215();
  chip().put(ntag);
  await agent.configure();
  await agent.tag(1);
  const answer = ntag.answer.bind(ntag);
  ntag.answer = (data) => {
    if (ntag.writes === 3) chip().take(ntag);
    return answer(data);
  };
  const message = Buffer.alloc(100, 1).toString('base64');
  const left = await agent.call('write_ndef', { reader: I2C, tag: 1, message });
  assert.deepEqual([left.code, left.tag_state], ['no_tag', 'empty']);
  await agent.until('the tag to leave', () => agent.gone.includes(1));

  ntag.answer = (data) => {
    if (data[0] === 0x30 && data[1] === 16) chip().take(ntag);
    return answer(data);
  };
  ntag.pages.set([0x03, 0x64], 16);
  chip().put(ntag);
  const tag = await agent.tag(2);
  assert.deepEqual([tag.tag, tag.techs, tag.ndef, tag.unread], [2, ['ndef'], undefined, true]);
  await agent.until('the tag to leave', () => agent.gone.includes(2));
});

test('a reader without power is gone with its tags, and comes back with new stays', async () => {
  chip().put(new ModelType4());
  await agent.configure();
  await agent.tag(1);
  chip().fault = { at: chip().commands.length, kind: 'power off' };
  await agent.present();
  assert.match(agent.readers?.readers[0]?.problem ?? '', /EREMOTEIO/);
  const answer = await agent.call('transceive', APDU);
  assert.equal(answer.code, 'no_reader');
  await agent.until('the bus to be closed', () => chip().isClosed);
  chip().fault = undefined;
  assert.equal((await agent.tag(2)).tag, 2);
  assert.deepEqual(agent.gone, []);
});

test('when the agent restarts, the program connects again, and the stays keep their numbers', async () => {
  chip().put(modelClassic());
  await agent.configure();
  assert.deepEqual((await agent.tag(1)).techs, []);
  await agent.close();
  await agent.listen();
  await agent.configure();
  assert.equal((await agent.tag(2)).tag, 1);
  assert.deepEqual(agent.events.slice(-3), ['connected', 'readers', 'tag']);
  assert.deepEqual(opened, [I2C]);
});

test('a command of the agent before is not answered to the next one', async () => {
  chip().put(new ModelType4());
  await agent.configure();
  await agent.tag(1);
  const [lost] = await sendSlowly();
  assert.ok(lost);
  agent.answered.length = 0;
  await Promise.all([assert.rejects(lost, /disconnected/), agent.close()]);
  await agent.listen();
  await agent.configure();
  chip().isBusy = false;
  // It waits behind the lost one.
  await agent.call('transceive', APDU);
  assert.equal(agent.answered.length, 2);
});

test('settings: only what differs is opened or closed; an absent reader is listed if it is named', async () => {
  await agent.configure();
  await agent.present(I2C);
  await agent.configure({ poll_ms: 60 });
  assert.deepEqual(opened, [I2C]);

  await agent.configure({ backend: 'pn532-spi' });
  await agent.until(
    'SPI',
    () => agent.readers?.readers[0]?.reader === SPI && agent.readers.readers[0].problem,
  );
  assert.deepEqual(agent.readers?.readers.length, 1);
  await agent.until('the bus to be closed', () => chip().isClosed);
  chips.set(SPI, new ModelChip());
  await agent.present(SPI);

  await agent.configure({ backend: 'auto' });
  await agent.present(I2C, SPI);

  // With "auto", a reader that is gone is listed until the backend changes.
  chip().fault = { at: chip().commands.length, kind: 'power off' };
  await agent.present(SPI);
  assert.equal(agent.readers?.readers.length, 2);
  chips.delete(I2C);
  await agent.configure({ backend: 'pn532-i2c' });
  await agent.configure({ backend: 'auto' });
  await agent.present(SPI);
  assert.equal(agent.readers?.readers.length, 1);
  chips.set(I2C, new ModelChip());

  await agent.configure({ backend: 'pn532-i2c', i2c: { bus: 1, address: 0x25 } });
  await agent.until('the address', () => agent.readers?.readers[0]?.reader === 'pn532-i2c-1-25');
  await agent.configure({ backend: 'acr122u' });
  await agent.until('no reader', () => agent.readers?.readers.length === 0 && agent.readers.problem);
});

test('more than 8 commands that wait are refused', async () => {
  const card = new ModelType4();
  chip().put(card);
  await agent.configure();
  await agent.tag(1);
  const answers = await Promise.all(Array.from({ length: 12 }, () => agent.call('transceive', APDU)));
  const codes = answers.map(({ code }) => code);
  assert.equal(codes.filter((code) => code === 'busy').length, 4);
  assert.equal(codes.filter((code) => code === undefined).length, 8);
});

test('a reader that hangs in a command is closed at once when it is not wanted any more', async () => {
  chip().put(new ModelType4());
  await agent.configure();
  await agent.tag(1);
  const [waiting] = await sendSlowly();
  const begin = performance.now();
  await agent.configure({ backend: 'pn532-spi' });
  assert.equal((await waiting)?.code, 'failed');
  await agent.until('the bus to be closed', () => chip().isClosed);
  // A card may take 20 s for an APDU.
  assert.ok(performance.now() - begin < 10_000);
});

test('the configured places have ids', () => {
  const ids = candidatesOf({ ...SETTINGS, i2c: { bus: 12, address: 9 } }, unwatched).map(({ id }) => id);
  assert.deepEqual(ids, ['pn532-i2c-12-09', 'pn532-spi-0-0']);
});
