import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError, TagError } from '../errors.ts';
import type { FieldTag } from '../field.ts';
import { Pn532 } from '../pn532/chip.ts';
import { Pn532Field } from '../pn532/field.ts';
import { readNdef, writeNdef } from '../tags/ndef.ts';
import { NdefFound, WriteProgress } from '../tags/progress.ts';
import { ModelChip } from './model-chip.ts';
import { type ModelTag, ModelType2, ModelType4, modelClassic } from './model-tags.ts';

async function tagOf(model: ModelTag): Promise<FieldTag> {
  const chip = new ModelChip();
  chip.put(model);
  const pn532 = new Pn532(chip);
  await pn532.start();
  const [tag] = await new Pn532Field(pn532).poll();
  assert.ok(tag);
  return tag;
}

const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => (at * 7 + 3) & 0xff));

async function refusal(model: ModelTag, message: Buffer): Promise<string> {
  const progress = new WriteProgress();
  try {
    await writeNdef(await tagOf(model), message, progress);
  } catch (error) {
    assert.ok(error instanceof CommandError && error.code === 'unsupported', String(error));
    assert.equal(progress.state, 'unchanged');
    return error.message;
  }
  return 'written';
}

const ROOMS: readonly [string, () => ModelTag, number][] = [
  ['Ultralight', ModelType2.ultralight, 46],
  ['NTAG213', ModelType2.ntag213, 142],
  ['NTAG215', ModelType2.ntag215, 492],
  ['NTAG216', ModelType2.ntag216, 868],
  ['type 4', () => new ModelType4({ size: 2048 }), 2046],
  ['type 4 with long reads', () => new ModelType4({ size: 0xfffe, mle: 255, mlc: 255 }), 0x7ffe],
];
for (const [name, make, room] of ROOMS) {
  test(`${name}: messages up to its size are written and read`, async () => {
    for (const length of [0, 1, 2, 3, 4, 46, 253, 254, 255, 256, room - 1, room]) {
      if (length > room) continue;
      const model = make();
      await writeNdef(await tagOf(model), bytes(300).subarray(0, Math.min(30, room)), new WriteProgress());
      const message = Buffer.concat([bytes(length)]);
      await writeNdef(await tagOf(model), message, new WriteProgress());
      const found = await readNdef(await tagOf(model));
      assert.ok(found.isFormatted);
      assert.deepEqual(found.message ?? Buffer.alloc(0), message, `${length} bytes`);
    }
    const model = make();
    assert.match(await refusal(model, bytes(room + 1)), new RegExp(`the tag takes ${room}\\.$`));
    if (model instanceof ModelType2) assert.equal(model.writes, 0);
  });
}

test('a reserved area in the middle of the message keeps its content', async () => {
  const tag = ModelType2.ntag213();
  tag.pages.set(Buffer.from('0203500434 0300fe'.replace(' ', ''), 'hex'), 16);
  tag.pages.set(Buffer.from('keep'), 80);
  await writeNdef(await tagOf(tag), bytes(100), new WriteProgress());
  assert.equal(tag.pages.subarray(80, 84).toString(), 'keep');
  assert.deepEqual((await readNdef(await tagOf(tag))).message, bytes(100));
});

test('read-only and locked tags are refused, with nothing written', async () => {
  const spoil: readonly [string, () => ModelType2, (tag: ModelType2) => void, number, RegExp][] = [
    ['access conditions', ModelType2.ntag213, (tag) => tag.pages.writeUInt8(0x0f, 15), 10, /read-only/],
    ['static lock bits', ModelType2.ntag213, (tag) => tag.pages.writeUInt8(0x20, 10), 10, /lock bits/],
    ['dynamic lock bits', ModelType2.ntag213, (tag) => tag.pages.writeUInt8(0x01, 160), 60, /lock bits/],
    [
      'NTAG215 lock bits',
      ModelType2.ntag215,
      (tag) => tag.pages.writeUInt8(0x02, 0x82 * 4),
      200,
      /lock bits/,
    ],
    [
      'NTAG216 lock bits',
      ModelType2.ntag216,
      (tag) => tag.pages.writeUInt8(0x10, 0xe2 * 4 + 1),
      860,
      /lock bits/,
    ],
    ['no NDEF', ModelType2.ntag213, (tag) => tag.pages.writeUInt8(0, 12), 10, /not formatted/],
    ['no room', ModelType2.ntag213, (tag) => tag.pages.writeUInt8(0xfe, 16), 10, /no room/],
  ];
  for (const [name, make, lock, length, reason] of spoil) {
    const tag = make();
    lock(tag);
    assert.match(await refusal(tag, bytes(length)), reason, name);
    assert.equal(tag.writes, 0, name);
  }
  // Lock bits of pages that are not written do not matter.
  const partly = ModelType2.ntag215();
  partly.pages.writeUInt8(0x02, 0x82 * 4);
  assert.equal(await refusal(partly, bytes(40)), 'written');

  assert.match(await refusal(new ModelType4({ write: 0xff }), bytes(10)), /read-only/);
  const none = new ModelType4();
  none.custom = () => Buffer.of(0x6a, 0x82);
  assert.match(await refusal(none, bytes(10)), /no NDEF application/);
  assert.match(await refusal(modelClassic(), bytes(10)), /cannot hold/);
});

test('a tag with more than 256 pages: no page is taken for one of the first', async () => {
  const make = (layout: string): ModelType2 => {
    const tag = new ModelType2({ pages: 256, size: 1872, version: 0 });
    tag.pages.set(Buffer.from(layout, 'hex'), 16);
    return tag;
  };
  const lockBits = '0103f00c36';
  const full = make(`${lockBits}0300fe`);
  assert.equal(await refusal(full, bytes(997)), 'written');
  assert.deepEqual((await readNdef(await tagOf(full))).message, bytes(997));
  const before = Buffer.from(full.pages);
  assert.match(await refusal(full, bytes(1500)), /the tag takes 997/);
  assert.deepEqual(full.pages, before);
  assert.match(await refusal(make('0300fe'), bytes(60)), /lock bits of the tag cannot be read/);
  assert.match(await refusal(make('0103f3103f0300fe'), bytes(60)), /lock bits of the tag cannot be read/);
});

test('tags without NDEF, and with one that cannot be read', async () => {
  assert.deepEqual(
    { ...(await readNdef(await tagOf(modelClassic()))) },
    { isFormatted: false, message: undefined },
  );
  const secret = ModelType2.ntag213();
  secret.pages.writeUInt8(0xf0, 15);
  assert.deepEqual({ ...(await readNdef(await tagOf(secret))) }, { isFormatted: true, message: undefined });
  const card = new ModelType4();
  card.file.writeUInt16BE(2047);
  assert.deepEqual({ ...(await readNdef(await tagOf(card))) }, { isFormatted: true, message: undefined });
  card.cc.writeUInt8(0x10, 2);
  assert.equal((await readNdef(await tagOf(card))).isFormatted, false);
});

test('a card that wants its message in small parts, and takes long, is given up', async () => {
  const card = new ModelType4({ mle: 16, mlc: 16 });
  await writeNdef(await tagOf(card), bytes(500), new WriteProgress());
  const found = new NdefFound(0);
  await assert.rejects(readNdef(await tagOf(card), found), /takes too long/);
  assert.deepEqual({ ...found }, { isFormatted: true, message: undefined });
  const progress = new WriteProgress(0);
  await assert.rejects(writeNdef(await tagOf(card), bytes(500), progress), /takes too long/);
  assert.equal(progress.state, 'empty');
});

test('a card that sends more or less than was asked for has no message', async () => {
  for (const answer of ['9000', '009000', '0001029000', 'ffffffff9000']) {
    const card = new ModelType4();
    card.file.set([0, 2, 0xd0, 0]);
    card.custom = (apdu) => (apdu[1] === 0xb0 && apdu[4] === 2 ? Buffer.from(answer, 'hex') : undefined);
    const found = new NdefFound();
    await assert.rejects(readNdef(await tagOf(card), found), TagError, answer);
    assert.deepEqual({ ...found }, { isFormatted: true, message: undefined });
  }
});

test('a tag that stores something else is noticed', async () => {
  const tag = ModelType2.ntag213();
  const answer = tag.answer.bind(tag);
  tag.answer = (data) => {
    const reply = answer(data);
    if (data[0] === 0xa2 && data[1] === 6) tag.pages.writeUInt8(0, 24);
    return reply;
  };
  const progress = new WriteProgress();
  await assert.rejects(writeNdef(await tagOf(tag), bytes(20), progress), /something else/);
  assert.equal(progress.state, 'unknown');
});
