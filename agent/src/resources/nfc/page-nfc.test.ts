/** Web NFC for the displayed page, beside hosts, with a program at the real socket. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type NfcCommand, NfcStage, READER, TAG } from '../../../../testing/nfc-stage.ts';
import { within } from '../../../../testing/wait.ts';
import { createLogger } from '../../base/logger.ts';
import { generic } from '../../boards/generic.ts';
import { EventBus } from '../../events/bus.ts';
import { configContract } from '../config/schema.ts';
import { openStore } from '../config/tests/open-store.ts';
import { Resources } from '../resource.ts';
import { nfcConfig } from './config.ts';
import { mayUseNfc, nfc } from './index.ts';
import { PageNfc } from './page-nfc.ts';
import type { TagReading } from './page-tags.ts';
import type { Failure, ReaderProgram } from './ports.ts';

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const APDU = base64('00A40400');
const MESSAGE = base64('D10101540241');
const OTHER = base64('D10101540242');
const WAIT_MS = 20_000;
const OK = { ok: true, written_bytes: 6, response: base64('9000') };
const reader_id = READER.reader;
const CARD = { ...TAG, techs: ['iso-dep'] };

let stage: NfcStage;
let readings: TagReading[];
beforeEach(async () => {
  stage = await NfcStage.create();
  readings = [];
});
afterEach(() => stage.close());

const scan = () => stage.page.scan((reading) => readings.push(reading));
const serials = () => readings.map((each) => (each.event === 'nfc.reading' ? each.serial_number : 'error'));
const done = (command: string) => stage.commands.filter((each) => each.command === command);
const rejected = (promise: Promise<unknown>, name: string) =>
  within(assert.rejects(promise, { name }), WAIT_MS, name);
const gone = (tag: number) => stage.send({ event: 'tag_gone', reader: reader_id, tag });
const leave = async (tag: number) => {
  const before = stage.on('nfc_tag_removed').length;
  gone(tag);
  await stage.until('the tag to leave', () => stage.on('nfc_tag_removed').length > before);
};
const come = async (tag: object) => {
  const before = stage.on('nfc_tag').length;
  stage.send(tag);
  await stage.until('the tag', () => stage.on('nfc_tag').length > before);
};
/** Starts with these tags in the field. */
const withTags = async (...tags: object[]) => {
  stage.tags = tags;
  await stage.start();
  await stage.until('the tags', () => stage.on('nfc_tag').length === tags.length);
};
const handle = (index = 0) => stage.nfc.list()[0]?.tags[index]?.tag_handle ?? '';
const hostWrites = (tag_handle: string) =>
  stage.request('POST', '/ndef/write', { reader_id, tag_handle, message: MESSAGE });
/** Lets commands wait until the returned function is called. */
function hold(answer: object = OK): { begun: Promise<NfcCommand>; release: () => void } {
  const begun = Promise.withResolvers<NfcCommand>();
  const held = Promise.withResolvers<void>();
  stage.answer = async (command) => {
    if (command.command === 'configure') return { ok: true };
    begun.resolve(command);
    await held.promise;
    return answer;
  };
  return { begun: begun.promise, release: held.resolve };
}

describe('scanning', () => {
  test('tags that are present are reported after the answer, then those that come, and hosts get their events', async () => {
    await withTags({ ...TAG, ndef: MESSAGE }, { ...CARD, tag: 2, uid: 'AABBCCDD' });
    await scan();
    assert.deepEqual(readings, []);
    await stage.until('the present tags', () => readings.length === 2);
    await come({ ...TAG, tag: 3, uid: '01020304050607', techs: ['ndef'], unread: true });
    await come({ ...TAG, tag: 4, uid: '01020304050607', techs: [] });
    assert.deepEqual(readings, [
      { event: 'nfc.reading', serial_number: '04:a1:b2:c3', message: MESSAGE },
      { event: 'nfc.reading', serial_number: 'aa:bb:cc:dd', message: '' },
      { event: 'nfc.reading_error' },
      { event: 'nfc.reading', serial_number: '01:02:03:04:05:06:07', message: '' },
    ]);
    assert.equal(stage.on('nfc_tag').length, 4);
  });

  test('ends when it is stopped, and when the page leaves; another page scans anew', async () => {
    await withTags(TAG);
    for (const end of [() => stage.page.stopScan(), () => stage.page.end()]) {
      await scan();
      await stage.until('the tag', () => readings.length === 1);
      end();
      await come({ ...TAG, tag: 2 });
      assert.equal(readings.length, 1);
      readings = [];
      await leave(2);
    }
    await scan();
    stage.page.stopScan();
    await come({ ...TAG, tag: 3 });
    assert.deepEqual(readings, []);
  });

  test('waits for a reader, and says what is missing', async () => {
    await rejected(scan(), 'NotSupportedError');
    await rejected(stage.page.write(MESSAGE), 'NotSupportedError');
    const waiting = Array.from({ length: 9 }, () => assert.rejects(scan()));
    await rejected(scan(), 'InvalidStateError');
    await Promise.all(waiting);
    const patient = new PageNfc({ nfc: stage.nfc, isEnabled: () => true, readerMs: WAIT_MS });
    const early = patient.scan(() => undefined);
    await stage.start();
    await early;
    const stopped = rejected(scan(), 'AbortError');
    stage.page.stopScan();
    await stopped;
    patient.stop();
    stage.isEnabled = false;
    for (const promise of [scan(), stage.page.write(MESSAGE)]) await rejected(promise, 'NotReadableError');
    const none = new PageNfc({ nfc: undefined, isEnabled: () => true });
    await rejected(
      none.scan(() => undefined),
      'NotSupportedError',
    );
    await rejected(none.transceive(APDU), 'NotSupportedError');
  });
});

describe('writing', () => {
  test('goes to the tag that is present, and leaves the handle of a host valid', async () => {
    await withTags({ ...TAG, ndef: OTHER });
    stage.answer = () => OK;
    const before = handle();
    await stage.page.write(MESSAGE);
    const { id: _id, ...command } = done('write_ndef')[0] ?? assert.fail();
    assert.deepEqual(command, { command: 'write_ndef', reader: reader_id, tag: 1, message: MESSAGE });
    assert.deepEqual([handle(), stage.nfc.list()[0]?.tags[0]?.ndef], [before, MESSAGE]);
    assert.equal((await hostWrites(before)).status, 200);
    assert.equal((await hostWrites(before)).status, 409);
  });

  test('never lets a host act on another tag: a handle ends with its tag, whatever the page does', async () => {
    await withTags(TAG);
    const before = handle();
    const held = hold();
    const written = stage.page.write(MESSAGE);
    await held.begun;
    await leave(1);
    await come({ ...TAG, tag: 2, uid: 'AABBCCDD' });
    held.release();
    await written;
    assert.equal(stage.nfc.list()[0]?.tags[0]?.ndef, undefined);
    assert.equal((await hostWrites(before)).status, 409);
    assert.deepEqual(
      done('write_ndef').map(({ tag }) => tag),
      [1],
    );
  });

  test('waits for the next tag, which is reported to the page first; a newer write aborts one that waits', async () => {
    await withTags();
    stage.answer = () => OK;
    await scan();
    await new Promise(setImmediate);
    const first = rejected(stage.page.write(OTHER), 'AbortError');
    const second = stage.page.write(MESSAGE, { overwrite: false });
    await first;
    await come({ ...TAG, ndef: OTHER });
    await second;
    assert.deepEqual(serials(), ['04:a1:b2:c3']);
    const { message, if_empty } = done('write_ndef')[0] ?? assert.fail();
    assert.deepEqual([message, if_empty, done('write_ndef').length], [MESSAGE, true, 1]);
    await come({ ...TAG, tag: 2 });
    assert.equal(done('write_ndef').length, 1, 'written once');
  });

  test('is aborted before it begins, not after; the page that leaves aborts all', async () => {
    await withTags();
    const waiting = rejected(stage.page.write(OTHER), 'AbortError');
    stage.page.abortWrite();
    await waiting;
    await come(TAG);
    assert.deepEqual(done('write_ndef'), []);

    const held = hold();
    const begun = stage.page.write(MESSAGE);
    await held.begun;
    stage.page.abortWrite();
    held.release();
    await begun;

    const again = hold();
    const left = rejected(stage.page.write(MESSAGE), 'AbortError');
    await again.begun;
    const card = rejected(stage.page.transceive(APDU), 'AbortError');
    stage.page.end();
    await Promise.all([left, card]);
    again.release();
    stage.answer = () => OK;
    await stage.page.write(MESSAGE);
    assert.equal(done('transceive').length, 0, 'what waited was not done');
  });

  test('fails by the name that the specification gives', async () => {
    await withTags({ ...TAG, ndef: OTHER });
    const before = handle();
    const listed = () => stage.nfc.list()[0]?.tags[0]?.ndef;
    for (const [code, name, tag_state, ndef] of [
      ['not_empty', 'NotAllowedError', undefined, OTHER],
      ['unsupported', 'NotSupportedError', undefined, OTHER],
      ['busy', 'NetworkError', undefined, OTHER],
      ['no_tag', 'NetworkError', 'unchanged', OTHER],
      ['failed', 'NetworkError', 'written', MESSAGE],
      ['failed', 'NetworkError', 'empty', undefined],
    ] as const) {
      stage.answer = () => ({ ok: false, code, message: 'No.', ...(tag_state ? { tag_state } : {}) });
      await rejected(stage.page.write(MESSAGE), name);
      assert.deepEqual([listed(), handle()], [ndef, before], code);
    }
    await rejected(stage.page.write(''), 'NotSupportedError');
    await rejected(stage.page.write(base64('00'.repeat(65_534))), 'NotSupportedError');
    await leave(1);
    await come({ ...CARD, tag: 2 });
    await rejected(stage.page.write(MESSAGE), 'NotSupportedError');
    stage.answer = () => OK;
    await come({ ...TAG, tag: 3, techs: [], unread: true });
    await stage.page.write(MESSAGE);
    assert.equal(done('write_ndef').at(-1)?.tag, 3, 'one that was not read is tried');
  });
});

describe('APDUs', () => {
  test('go to the card that came last, and never unnoticed to another one', async () => {
    await withTags({ ...CARD, techs: ['ndef'] });
    await rejected(stage.page.transceive(APDU), 'NotSupportedError');
    stage.answer = () => OK;
    await come({ ...CARD, tag: 2 });
    await come({ ...CARD, tag: 3, techs: ['ndef'] });
    assert.equal(await stage.page.transceive(APDU), OK.response);
    await come({ ...CARD, tag: 4 });
    await stage.page.transceive(APDU);
    await leave(2);
    await rejected(stage.page.transceive(APDU), 'NetworkError');
    await stage.page.transceive(APDU);
    // A page that learns of the next card has no failure in between.
    await scan();
    await leave(4);
    await come({ ...CARD, tag: 5 });
    await stage.page.transceive(APDU);
    assert.deepEqual(
      done('transceive').map(({ tag }) => tag),
      [2, 2, 4, 5],
    );
    await leave(5);
    await rejected(stage.page.transceive(APDU), 'NetworkError');
    for (const tag of [1, 3]) await leave(tag);
    await rejected(stage.page.transceive(APDU), 'InvalidStateError');
    stage.page.end();
  });

  test('have a length, an answer with a status word, and a limit; hosts get their turn beside them', async () => {
    await withTags(TAG);
    for (const bytes of [3, 65_545]) {
      await rejected(stage.page.transceive(base64('00'.repeat(bytes))), 'TypeError');
    }
    await rejected(stage.page.transceive(base64('00a4040008a0000006472f000100')), 'NotAllowedError');
    stage.answer = () => ({ ok: true, response: base64('90') });
    await rejected(stage.page.transceive(APDU), 'NetworkError');
    const held = hold();
    const calls = Array.from({ length: 9 }, () => stage.page.transceive(APDU));
    await held.begun;
    await rejected(stage.page.transceive(APDU), 'InvalidStateError');
    const hosts = hostWrites(handle());
    await stage.until('the host', () => done('write_ndef').length === 1);
    assert.equal(done('transceive').length, 2, 'the page has one command at the reader');
    held.release();
    await Promise.all(calls);
    assert.equal((await hosts).status, 200);
    stage.isEnabled = false;
    await rejected(stage.page.transceive(APDU), 'NotReadableError');
  });
});

test('pages may use NFC while it is enabled and their origin is listed; every change is told', async (t) => {
  const log = createLogger('silent');
  const work = async () => undefined;
  const refused = async (): Promise<Failure> => ({ ok: false, code: 'disconnected', message: 'No.' });
  const idle: ReaderProgram = {
    ...{ isConnected: false, listen: () => () => undefined, open: work, close: work },
    ...{ startService: work, stopService: work, configure: refused, transceive: refused },
    ...{ writeNdef: refused, feedback: refused },
  };
  for (const readerProgram of [undefined, idle]) {
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-nfc-'));
    t.after(() => rm(folder, { recursive: true }));
    const bus = new EventBus();
    const config = await openStore(folder, configContract([nfcConfig]), { bus, log });
    const disk = { reserve: async () => undefined, free: async () => ({ free_bytes: 0, total_bytes: 0 }) };
    const board = { ...generic, dataFolder: folder };
    const services = { board, bus, log, config, disk, asset: async () => Buffer.alloc(0) };
    const created = new Resources(services, { readerProgram });
    const { onPermissionChange } = await created.use(nfc);
    const told: unknown[] = [];
    const origins = ['https://a.example', 'http://b.example:444'];
    const unlisten = onPermissionChange(() => told.push(origins.map((origin) => mayUseNfc(config, origin))));
    for (const patch of [
      { origins: ['https://a.example'] },
      { enabled: true },
      { origins },
      { origins: ['http://b.example'] },
      { enabled: false },
    ]) {
      await config.patch({ nfc: patch });
    }
    unlisten();
    await config.patch({ nfc: { enabled: true } });
    assert.deepEqual(told, [
      [false, false],
      [true, false],
      [true, true],
      [false, false],
      [false, false],
    ]);
    for (const resource of created.all) await resource.stop?.();
  }
});
