/** What the models of chip, tags and ACR122U must do as the real ones, because the tests of the device rely on it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pn532OnI2c, Pn532OnSpi } from '../chip/buses.ts';
import { Pn532Commands } from '../chip/commands.ts';
import { Field } from '../chip/field.ts';
import { answerFrame, readFrame } from '../chip/frame.ts';
import { Pn532Chip } from '../chip/pn532.ts';
import { answerTransfer } from '../kernel-bus.ts';
import { makeTag } from '../tags/make.ts';
import { parseApdu } from '../tags/tag.ts';
import { Acr122uModel } from '../usb/ccid.ts';

const UID = '04010203040506';
const NDEF = 'd101055504612e6465';
const LIST = Buffer.from([0x02, 0x00]);
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** A reader's commands with the search limited, as readers set it. */
function commandsOn(field: Field): (code: number, params: Buffer) => string {
  const commands = new Pn532Commands(field);
  commands.run(0x32, hex('05 ff 01 01'));
  return (code, params) => {
    const result = commands.run(code, params);
    assert.ok(Buffer.isBuffer(result));
    return result.toString('hex');
  };
}

test('frames: GetFirmwareVersion of UM0701-02, and an extended one', () => {
  assert.deepEqual(readFrame(hex('00 00 ff 02 fe d4 02 2a 00')), {
    kind: 'command',
    code: 2,
    params: Buffer.alloc(0),
  });
  assert.equal(readFrame(hex('00 00 ff 02 fe d4 02 2b 00')).kind, 'bad');
  assert.equal(readFrame(hex('00 00 ff 02 fd d4 02 2a 00')).kind, 'bad');
  assert.equal(readFrame(hex('00 00 ff ff 00 00')).kind, 'nack');
  const long = answerFrame(0x40, Buffer.alloc(260));
  assert.equal(long.subarray(0, 8).toString('hex'), '0000ffffff0106f9');
  assert.equal(long.length, 8 + 262 + 2);
});

test('a chip whose search is not limited answers when a tag comes', async () => {
  const chip = new Pn532Chip(new Field());
  const i2c = new Pn532OnI2c(chip, 0x24);
  assert.throws(() => i2c.write(hex('00 00 ff 00 ff 00')), 'asleep');
  i2c.write(hex('00 00 ff 04 fc d4 4a 02 00 e0 00'));
  const ready = async (): Promise<boolean> => {
    for (let look = 0; look < 100 && !chip.isReady; look += 1) await new Promise((go) => setTimeout(go, 1));
    return chip.isReady;
  };
  assert.ok(await ready());
  assert.equal(i2c.read(7).toString('hex'), '010000ff00ff00');
  assert.equal(await ready(), false);
  chip.field.put(makeTag({ kind: 'ntag213', uid: UID }));
  assert.ok(await ready());
  assert.match(i2c.read(24).toString('hex'), /^010000ff..../);
});

test('type 2: lock bits, refusals, and the end of a stay', () => {
  const field = new Field();
  const tag = makeTag({ kind: 'ntag213', uid: UID, ndef: NDEF });
  field.put(tag);
  const run = commandsOn(field);
  assert.equal(run(0x4a, LIST), `0101004400 07${UID}`.replace(' ', ''));
  assert.equal(run(0x40, hex('01 30 04')).slice(0, 12), '000103a00c34');
  assert.equal(run(0x40, hex('01 a2 05 34 03 00 fe')), '00');
  assert.deepEqual(tag.content(), { length: 0, message: '' });
  // It is not there any more for a reader after it has refused a command, until it is selected again.
  assert.equal(run(0x40, hex('01 30 f0')), '05');
  assert.equal(run(0x40, hex('01 30 00')), '01');
  run(0x4a, LIST);
  assert.equal(run(0x40, hex('01 30 00')).slice(0, 2), '00');
  field.takeAfter(tag, 1);
  assert.equal(run(0x40, hex('01 30 00')).slice(0, 2), '00');
  assert.equal(run(0x40, hex('01 30 00')), '01');
  assert.equal(run(0x4a, LIST), '00');
  const sealed = makeTag({ kind: 'ntag215', uid: UID, ndef: NDEF, isLocked: true });
  field.put(sealed);
  run(0x4a, LIST);
  for (const page of ['04', '0f', '10', '81']) {
    assert.equal(run(0x40, hex(`01 a2 ${page} 01 01 01 01`)), '05', page);
    run(0x4a, LIST);
  }
  assert.equal(sealed.content()?.message, NDEF);
});

test('ISO-DEP: answers in parts, and a card that forgets its application', () => {
  const field = new Field();
  field.put(makeTag({ kind: 'card', uid: 'random' }));
  const run = commandsOn(field);
  assert.match(run(0x4a, LIST), /^01010344200408.{6}067577810280$/);
  assert.equal(run(0x40, hex('01 00a4040007f0010203040506')), '009000');
  const first = run(0x40, hex('01 80120000 000200'));
  assert.deepEqual([first.slice(0, 2), first.length / 2], ['40', 263]);
  assert.match(run(0x40, hex('01')), /^00.*9000$/);
  assert.equal(run(0x40, hex('41 8010000003')), '00');
  assert.equal(run(0x40, hex('01 010203 00')), '000102039000');
  field.switch(false);
  assert.equal(run(0x00, hex('06')), '01');
  run(0x4a, LIST);
  assert.equal(run(0x00, hex('06')), '00');
  assert.equal(run(0x40, hex('01 8010000001 01')), '006982');
  assert.deepEqual(parseApdu(hex('00b00000000000'))?.expected, 65_536);
});

test('ACR122U: a card comes, answers, and leaves', () => {
  const field = new Field();
  const reader = new Acr122uModel(field);
  const notified: string[] = [];
  reader.notify = (message) => notified.push(message.toString('hex'));
  const send = (type: number, data: Buffer): Buffer => {
    const head = Buffer.alloc(10);
    head[0] = type;
    head.writeUInt32LE(data.length, 1);
    return reader.message(Buffer.concat([head, data]));
  };
  const tag = makeTag({ kind: 'type4', uid: UID, ndef: NDEF });
  field.put(tag);
  assert.equal(send(0x62, Buffer.alloc(0)).subarray(10).toString('hex'), '3b8180018080');
  const transmit = (text: string): string => send(0x6f, hex(text)).subarray(10).toString('hex');
  assert.equal(transmit('ffca000000'), `${UID}9000`);
  assert.equal(transmit('00a4040007d2760000850101'), '9000');
  assert.match(transmit('ff00000004d44a0100'), /^d54b0101034420.*9000$/);
  assert.equal(send(0x6b, hex('ff00400d0401010301')).subarray(10).toString('hex'), '9001');
  assert.deepEqual(reader.takeFeedback(), [{ what: 'led', bytes: '0d0401010301' }]);
  field.take(tag);
  assert.deepEqual(notified, ['5003', '5002']);
  assert.equal(send(0x6f, hex('ffca000000')).readUInt8(8), 0xfe);
});

test('the other end of the kernel’s buses answers each part of a transfer', () => {
  const i2cChip = new Pn532Chip(new Field());
  const i2c = new Pn532OnI2c(i2cChip, 0x24);
  const spi = new Pn532OnSpi(new Pn532Chip(new Field()));
  const request = (kind: number, ...parts: Buffer[]): Buffer => {
    const head = Buffer.alloc(12);
    head.writeUInt32LE(kind);
    head.writeUInt32LE(77, 4);
    head.writeUInt32LE(parts.length, 8);
    return Buffer.concat([head, ...parts]);
  };
  const i2cRead = hex('2400 0100 02000000');
  assert.equal(
    answerTransfer(request(1, i2cRead, i2cRead), i2c, spi).toString('hex'),
    '4d0000000000000000000000',
  );
  i2cChip.power(false);
  assert.equal(answerTransfer(request(1, i2cRead), i2c, spi).toString('hex'), '4d00000087ffffff');
  const status = hex('02000000 00000000 4000');
  assert.equal(answerTransfer(request(2, status), i2c, spi).toString('hex'), '4d000000000000000000');
});
