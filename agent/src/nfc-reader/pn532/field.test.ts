import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReaderError, TagError } from '../errors.ts';
import type { FieldTag } from '../field.ts';
import { ModelChip } from '../tests/model-chip.ts';
import { type ModelTag, ModelType2, ModelType4, modelClassic } from '../tests/model-tags.ts';
import { Pn532 } from './chip.ts';
import { Pn532Field } from './field.ts';
import { openPn532 } from './reader.ts';

const LIMITS = { acknowledgeMs: 4, commandMs: 4 };

async function start(...tags: ModelTag[]): Promise<{ chip: ModelChip; field: Pn532Field }> {
  const chip = new ModelChip();
  chip.put(...tags);
  const pn532 = new Pn532(chip, LIMITS);
  assert.equal(await pn532.start(), '1.6');
  return { chip, field: new Pn532Field(pn532) };
}

const uids = (tags: readonly FieldTag[]): string[] => tags.map(({ uid }) => uid.toString('hex')).sort();

test('two tags at once; one leaves, the other one keeps its stay, and a second one is seen beside it', async () => {
  const [first, second] = [ModelType2.ntag213(), new ModelType4()];
  const { chip, field } = await start(first, second);
  const both = await field.poll();
  assert.deepEqual(uids(both), ['04112233445566', '04a1b2c3d4e5f6']);
  const kept = both.find(({ kind }) => kind === 'type2');
  for (let poll = 0; poll < 9; poll++) assert.deepEqual(await field.poll(), both);

  chip.take(second);
  await field.poll();
  assert.deepEqual(await field.poll(), [kept]);

  chip.put(second);
  for (let poll = 0; poll < 4; poll++) await field.poll();
  const again = await field.poll();
  assert.ok(kept && again.includes(kept));
  assert.equal(again.length, 2);
  assert.ok(!both.includes(again.find(({ kind }) => kind === 'type4') ?? kept), 'it is another stay');

  chip.take(first, second);
  await field.poll();
  assert.deepEqual(await field.poll(), []);
});

test('a tag that gets another number is still the one that is asked', async () => {
  const [first, second] = [ModelType2.ntag213(), new ModelType2({ uid: '04ffeeddccbbaa' })];
  const { chip, field } = await start(first, second);
  const tag = (await field.poll()).find(({ uid }) => uid.equals(second.uid));
  assert.ok(tag);
  const read = async (): Promise<string> => (await tag.readBlock(0)).toString('hex', 0, 3);
  assert.equal(await read(), '04ffee');
  chip.take(first);
  await field.poll();
  assert.deepEqual(await field.poll(), [tag]);
  const before = chip.commands.length;
  assert.equal(await read(), '04ffee');
  assert.deepEqual(chip.commands.slice(before), ['40013000']);
});

for (const [name, make] of [
  ['type 2', ModelType2.ntag213],
  ['type 4', () => new ModelType4()],
  ['type 4 with a random UID', () => new ModelType4({ uid: '08010203' })],
  ['MIFARE Classic', modelClassic],
] as const) {
  test(`${name}: stays while it is there, and is seen to leave within two polls`, async () => {
    const model = make();
    const { chip, field } = await start(model);
    const [tag] = await field.poll();
    assert.ok(tag);
    for (let poll = 0; poll < 10; poll++) assert.deepEqual(await field.poll(), [tag]);
    assert.equal(await tag.isPresent(), true);
    chip.take(model);
    await field.poll();
    assert.deepEqual(await field.poll(), []);
    chip.put(model);
    const [next] = await field.poll();
    assert.ok(next && next !== tag);
    await assert.rejects(tag.kind === 'type4' ? tag.apdu(Buffer.alloc(5)) : tag.readBlock(0), TagError);
  });
}

test('a card that the host uses keeps its session: the field is not switched off', async () => {
  const { chip, field } = await start(new ModelType4());
  const [tag] = await field.poll();
  tag?.use();
  const before = chip.commands.length;
  for (let poll = 0; poll < 9; poll++) assert.deepEqual(await field.poll(), [tag]);
  assert.deepEqual([...new Set(chip.commands.slice(before))], ['0006']);
});

test('firmware that cannot ask a card lists it again', async () => {
  const model = new ModelType4();
  const { chip, field } = await start(model);
  chip.knowsDiagnose = false;
  const [tag] = await field.poll();
  for (let poll = 0; poll < 5; poll++) assert.deepEqual(await field.poll(), [tag]);
  chip.take(model);
  await field.poll();
  assert.deepEqual(await field.poll(), []);
});

test('APDUs of every length, with answers of every length, in parts', async () => {
  const card = new ModelType4();
  const { field, chip } = await start(card);
  const [tag] = await field.poll();
  assert.ok(tag);
  for (const length of [4, 5, 261, 262, 263, 266, 524, 525, 10_000, 65_544]) {
    const apdu = Buffer.alloc(length, length & 0xff);
    const answer = Buffer.concat([Buffer.alloc(Math.min(length - 4, 65_536), 0x77), Buffer.of(0x90, 0x00)]);
    let received: Buffer | undefined;
    card.custom = (got) => {
      received = got;
      return answer;
    };
    assert.deepEqual(await tag.apdu(apdu), answer);
    assert.deepEqual(received, apdu);
  }
  // Without an end, the answer is given up.
  card.custom = () => Buffer.alloc(65_539);
  await assert.rejects(tag.apdu(Buffer.alloc(5)), /too long|no end/);
  assert.ok(chip.commands.some((command) => command.startsWith('4041') && command.length === 2 * 264));
});

test('a card that takes long for each part of its answer is given up', async () => {
  const card = new ModelType4();
  card.custom = () => Buffer.alloc(60_000);
  const { chip } = await start(card);
  const pn532 = new Pn532(chip, { apduMs: 50 });
  await pn532.list();
  const isReady = chip.isReady.bind(chip);
  chip.isReady = async () => {
    await sleep(5);
    return await isReady();
  };
  const before = chip.commands.length;
  await assert.rejects(pn532.exchangeApdu(1, Buffer.alloc(5)), TagError);
  assert.ok(chip.commands.length - before < 20);
});

test('the chip is asked again while it wakes up, and the bus is closed when it does not answer', async () => {
  const late = new ModelChip();
  let failures = 2;
  const write = late.write.bind(late);
  late.write = async (frame) => {
    if (failures-- > 0) throw new Error('EREMOTEIO');
    await write(frame);
  };
  await (await openPn532(Promise.resolve(late))).close();

  const absent = new ModelChip();
  absent.fault = { at: -1, kind: 'power off' };
  await assert.rejects(openPn532(Promise.resolve(absent)), /EREMOTEIO/);
  assert.ok(absent.isClosed);
});

test('an APDU of the host is never sent twice, unless the chip did not take it', async () => {
  const card = new ModelType4();
  const { field, chip } = await start(card);
  const [tag] = await field.poll();
  assert.ok(tag);
  for (const kind of ['bad acknowledge', 'short frame', 'nack', 'bad checksum once'] as const) {
    chip.fault = { at: chip.commands.length, kind };
    card.apdus.length = 0;
    const sending = tag.apdu(Buffer.from('8010000000', 'hex'));
    if (kind === 'nack' || kind === 'bad checksum once')
      assert.equal((await sending).toString('hex'), '6982');
    else await assert.rejects(sending, ReaderError);
    assert.equal(card.apdus.length, 1, kind);
  }
});
