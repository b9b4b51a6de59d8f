/** The endpoints, events and problems of NFC, with a program at the real socket. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { NfcStage, READER, TAG } from '../../../../testing/nfc-stage.ts';
import { valueAt } from '../config/tree.ts';
import { endpoints } from '../contract.ts';

let stage: NfcStage;
beforeEach(async () => {
  stage = await NfcStage.create();
});
afterEach(() => stage.close());

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const APDU = base64('00A40400');
const reader_id = READER.reader;

/** Starts with one tag in the field, and returns its handle. */
async function withTag(tag: object = TAG): Promise<string> {
  stage.tags = [tag];
  await stage.start();
  await stage.until('the tag', () => stage.on('nfc_tag').length > 0);
  return String(valueAt(stage.on('nfc_tag').at(-1), 'tag_handle'));
}

/** Brings a card into the field beside the first tag, and returns its handle. */
async function withOtherTag(): Promise<string> {
  const before = stage.on('nfc_tag').length;
  stage.send({ ...TAG, tag: 2 });
  await stage.until('the card', () => stage.on('nfc_tag').length > before);
  return String(valueAt(stage.on('nfc_tag').at(-1), 'tag_handle'));
}

const transceive = (tag_handle: string, apdu = APDU) =>
  stage.request('POST', '/transceive', { reader_id, tag_handle, apdu });
const write = (tag_handle: string, message = base64('D00000')) =>
  stage.request('POST', '/ndef/write', { reader_id, tag_handle, message });
const codeOf = ({ status, body }: { status: number; body: unknown }) =>
  `${status} ${valueAt(body, 'error.code')}`;
/** The current handle of the first tag; undefined without one. */
const listedHandle = () => stage.nfc.list()[0]?.tags[0]?.tag_handle;

describe('readers and tags', () => {
  test('what was present before the agent started is listed and announced', async () => {
    const ndef = base64('D10101540241');
    const handle = await withTag({ ...TAG, ndef });
    const { status, body } = await stage.request('GET', '/readers');
    assert.equal(status, 200);
    const tag = { tag_handle: handle, uid: '04A1B2C3', atqa: '0344', sak: '20', techs: TAG.techs, ndef };
    assert.deepEqual(body, [
      {
        ...{ id: reader_id, backend: 'pn532-i2c', present: true, tags: [tag] },
        capabilities: { techs: ['iso-dep', 'ndef'], has_led: false, has_buzzer: false },
      },
    ]);
    assert.deepEqual(stage.events, [
      { topic: 'nfc_reader_connected', payload: { reader_id, backend: 'pn532-i2c' } },
      { topic: 'nfc_tag', payload: { reader_id, ...tag } },
    ]);
  });

  test('a reader that disconnects takes its tags with it, in one event', async () => {
    const handle = await withTag();
    stage.send({ event: 'readers', readers: [{ ...READER, present: false }] });
    await stage.until('the event', () => stage.on('nfc_reader_disconnected').length > 0);
    assert.deepEqual(stage.events.at(-1), { topic: 'nfc_reader_disconnected', payload: { reader_id } });
    assert.deepEqual(stage.on('nfc_tag_removed'), []);
    assert.equal(codeOf(await transceive(handle)), '409 invalid_state');
    assert.equal(codeOf(await stage.request('POST', '/reader/feedback', { reader_id })), '503 unavailable');
  });

  test('a program that ends is started again, and everything is announced anew', async () => {
    const handle = await withTag();
    stage.socket?.destroy();
    await stage.until('the end', () => stage.on('nfc_reader_disconnected').length === 1);
    assert.deepEqual(
      stage.nfc.list().map(({ id, present, tags }) => ({ id, present, tags })),
      [{ id: reader_id, present: false, tags: [] }],
    );
    stage.connect();
    await stage.until('the tag', () => stage.on('nfc_tag').length === 2);
    assert.notEqual(listedHandle(), handle);
    assert.equal(codeOf(await transceive(handle)), '409 invalid_state');
  });

  test('a message that breaks the protocol costs the connection, and no event comes of it', async () => {
    await stage.start();
    for (const message of [
      { ...TAG, uid: 'xyz' },
      { event: 'readers', readers: Array(33).fill(READER) },
      { event: 'tag_gone' },
      { id: 1 },
      { x: 1 },
    ]) {
      const socket = stage.socket;
      const before = stage.on('nfc_reader_connected').length;
      stage.send(message);
      await stage.until('the end of the connection', () => socket?.destroyed === true);
      stage.connect();
      await stage.until('the readers', () => stage.on('nfc_reader_connected').length > before);
    }
    stage.send({ event: 'of a later version' }, TAG);
    await stage.until('the tag', () => stage.on('nfc_tag').length === 1);
  });
});

describe('a tag handle', () => {
  test('is used once; the answer has the next one', async () => {
    const first = await withTag();
    const sent: unknown[] = [];
    stage.answer = ({ apdu }) => {
      sent.push(apdu);
      return { ok: true, response: base64('01029000') };
    };
    const { status, body } = await transceive(first);
    assert.equal(status, 200);
    const next = listedHandle() ?? '';
    assert.deepEqual(body, { response: base64('0102'), sw: '9000', tag_handle: next });
    assert.deepEqual(sent, [APDU]);
    assert.equal(codeOf(await transceive(first)), '409 invalid_state');
    assert.equal((await transceive(next)).status, 200);
  });

  test('that many requests use at a time is used by one of them', async () => {
    const handle = await withTag();
    stage.answer = () => ({ ok: true, response: base64('9000') });
    const answers = await Promise.all(Array.from({ length: 20 }, () => transceive(handle)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array(19).fill(409)]);
    assert.equal(stage.commands.filter(({ command }) => command === 'transceive').length, 1);
  });

  test('is not used by what is refused first', async () => {
    const handle = await withTag({ ...TAG, techs: ['ndef'], sak: '00' });
    const other = { reader_id: 'no such reader', tag_handle: handle, apdu: APDU };
    assert.equal(codeOf(await stage.request('POST', '/transceive', other)), '404 not_found');
    assert.equal(codeOf(await transceive('never-issued')), '404 not_found');
    assert.equal(codeOf(await transceive(handle, '')), '400 bad_request');
    assert.equal(codeOf(await transceive(handle)), '409 nfc_tag_unsupported');
    assert.equal(codeOf(await write(handle, base64('00'.repeat(65_534)))), '409 nfc_tag_unsupported');
    stage.answer = () => ({ ok: false, code: 'busy', message: 'Eight commands wait.' });
    assert.equal(codeOf(await write(handle)), '429 too_many_requests');
    const card = await withOtherTag();
    assert.equal(codeOf(await transceive(card)), '429 too_many_requests');
    assert.equal(codeOf(await transceive(card)), '429 too_many_requests');
    assert.equal(listedHandle(), handle);
    stage.answer = () => ({ ok: true, written_bytes: 3 });
    assert.equal((await write(handle)).status, 200);
  });

  test('of an earlier agent is stale, not unknown', async () => {
    const handle = await withTag();
    await stage.restartAgent();
    await stage.until('the tag', () => stage.on('nfc_tag').length === 2);
    assert.equal(codeOf(await transceive(handle)), '409 invalid_state');
  });

  test('is used by a request that failed, and the next one is listed', async () => {
    let handle = await withTag();
    for (const [code, expected] of [
      ['no_tag', '409 invalid_state'],
      ['unsupported', '409 nfc_tag_unsupported'],
      ['failed', '503 unavailable'],
      ['no_reader', '503 unavailable'],
      ['refused', '503 unavailable'],
    ] as const) {
      stage.answer = () => ({ ok: false, code, message: 'No.' });
      assert.equal(codeOf(await transceive(handle)), expected, code);
      const next = listedHandle() ?? '';
      assert.equal(codeOf(await transceive(handle)), '409 invalid_state', code);
      handle = next;
    }
    stage.answer = () => ({ ok: true, response: base64('90') });
    assert.equal(codeOf(await transceive(handle)), '503 unavailable', 'no status word');
  });

  test('ends with the tag, also while it is used', async () => {
    const handle = await withTag();
    stage.answer = () => {
      stage.send({ event: 'tag_gone', reader: reader_id, tag: 1 });
      return { ok: true, response: base64('9000') };
    };
    assert.deepEqual((await transceive(handle)).body, { response: '', sw: '9000' });
    assert.deepEqual(stage.on('nfc_tag_removed'), [{ reader_id, tag_handle: handle }]);
    assert.equal(codeOf(await transceive(handle)), '409 invalid_state');
  });

  test('is used by a request whose program ends', async () => {
    const handle = await withTag();
    stage.answer = () => {
      stage.socket?.destroy();
      return undefined;
    };
    assert.deepEqual(codeOf(await transceive(handle)), '503 unavailable');
    await stage.until('the end', () => stage.on('nfc_reader_disconnected').length === 1);
    assert.equal(codeOf(await transceive(handle)), '409 invalid_state');
  });
});

test('a written message is listed, and a failed write says what the tag contains', async () => {
  const old = base64('D10101540241');
  let handle = await withTag({ ...TAG, ndef: old });
  const message = base64('D10101540242');
  const listed = () => stage.nfc.list()[0]?.tags[0]?.ndef;
  const states = { unchanged: old, written: message, empty: undefined, unknown: undefined };
  for (const [tag_state, expected] of Object.entries(states)) {
    stage.answer = () => ({ ok: false, code: 'no_tag', message: 'The tag has left.', tag_state });
    const { status, body } = await write(handle, message);
    assert.deepEqual([status, valueAt(body, 'error.details')], [409, { tag_state }]);
    assert.equal(listed(), expected, tag_state);
    handle = listedHandle() ?? '';
  }
  stage.answer = () => ({ ok: true, written_bytes: 6 });
  assert.deepEqual((await write(handle, message)).body, { written_bytes: 6, tag_handle: listedHandle() });
  assert.equal(listed(), message);
  assert.equal((await write(listedHandle() ?? '', '')).status, 200);
  assert.equal(listed(), undefined, 'an empty message');
  stage.answer = () => ({ ok: false, code: 'failed', message: 'No.' });
  const { body } = await write(listedHandle() ?? '');
  assert.deepEqual(valueAt(body, 'error.details'), { tag_state: 'unknown' });
});

test('feedback needs what is asked for, and answers with the reader', async () => {
  stage.readers = [{ ...READER, has_buzzer: true }];
  await stage.start();
  const feedback = (fields: object) => stage.request('POST', '/reader/feedback', { reader_id, ...fields });
  assert.equal(codeOf(await feedback({ led: 'red' })), '503 unavailable');
  assert.equal(codeOf(await feedback({ reader_id: 'x' })), '404 not_found');
  const { status, body } = await feedback({ buzzer_ms: 200 });
  assert.deepEqual([status, body], [200, stage.nfc.list()[0]]);
  const { id: _id, ...command } = stage.commands.at(-1) ?? {};
  assert.deepEqual(command, { command: 'feedback', reader: reader_id, buzzer_ms: 200 });
  stage.answer = () => ({ ok: false, code: 'busy', message: 'Eight commands wait.' });
  assert.equal(codeOf(await feedback({ buzzer_ms: 200 })), '429 too_many_requests');
  stage.answer = () => ({ ok: false, code: 'unsupported', message: 'No.' });
  assert.equal(codeOf(await feedback({ buzzer_ms: 200 })), '503 unavailable');
});

describe('the configuration', () => {
  test('is sent to the program, and again when it changes', async () => {
    await stage.start();
    stage.settings = { ...stage.settings, poll_ms: 50 };
    await stage.nfc.apply();
    const sent = stage.commands.map(({ id: _id, ...fields }) => fields);
    assert.deepEqual(sent, [
      { command: 'configure', ...stage.settings, poll_ms: 250 },
      { command: 'configure', ...stage.settings },
    ]);
  });

  test('that the program refuses is a problem, and is tried again', async () => {
    await stage.start();
    stage.answer = () => ({ ok: false, code: 'failed', message: 'No.' });
    await assert.rejects(stage.nfc.apply(), /No/);
    assert.deepEqual(stage.nfc.problems(), ['NFC could not be switched on: No.']);
    stage.answer = () => ({ ok: true });
    await stage.until('the next try', () => stage.recovered === 1);
    assert.deepEqual(stage.nfc.problems(), []);
  });

  test('off: every endpoint is closed, handles end, nothing is announced, and the program is stopped', async () => {
    const handle = await withTag();
    const seen = stage.events.length;
    stage.isEnabled = false;
    await stage.nfc.apply();
    assert.equal(stage.runs, false);
    await assert.rejects(stat(stage.path), 'no program can connect');
    for (const { method, path } of endpoints.filter((endpoint) => endpoint.path.startsWith('/nfc/'))) {
      const answer = await stage.request(
        method,
        path.slice('/nfc'.length),
        method === 'GET' ? undefined : {},
      );
      assert.equal(codeOf(answer), '503 nfc_disabled', path);
    }
    assert.equal(stage.events.length, seen);
    stage.isEnabled = true;
    await stage.nfc.apply();
    await stage.until('the tag', () => stage.on('nfc_tag').length === 2);
    assert.equal(codeOf(await transceive(handle)), '409 invalid_state');
  });

  test('off while the program is slow: from then on, nothing is announced or listed', async () => {
    await withTag();
    const { promise: slow, resolve } = Promise.withResolvers<object>();
    stage.answer = () => slow;
    const change = stage.nfc.apply();
    await stage.until('the command', () => stage.commands.length === 2);
    stage.isEnabled = false;
    const off = stage.nfc.apply();
    assert.deepEqual(stage.nfc.list(), []);
    const seen = stage.events.length;
    stage.send({ event: 'readers', readers: [READER] }, TAG);
    resolve({ ok: true });
    await Promise.all([change, off]);
    assert.equal(stage.events.length, seen);
    assert.deepEqual(stage.nfc.list(), []);
  });

  test('off for a moment ends handles, too', async () => {
    const handle = await withTag();
    stage.isEnabled = false;
    const off = stage.nfc.apply();
    stage.isEnabled = true;
    await Promise.all([off, stage.nfc.apply()]);
    await stage.until('the tag', () => stage.on('nfc_tag').length === 2);
    assert.equal(codeOf(await transceive(handle)), '409 invalid_state');
    assert.equal(stage.runs, true);
  });

  test('off at the start stops a program that was left running', async () => {
    stage.isEnabled = false;
    stage.runs = true;
    stage.nfc.start();
    await stage.until('the end', () => !stage.runs);
    await assert.rejects(stat(stage.path));
  });

  test('a service that does not start is a problem until it starts', async () => {
    stage.serviceError = 'systemd is busy';
    await assert.rejects(stage.nfc.apply());
    assert.deepEqual(stage.nfc.problems(), ['NFC could not be switched on: systemd is busy.']);
    stage.serviceError = undefined;
    await stage.start();
    assert.deepEqual(stage.nfc.problems(), []);
    assert.equal(stage.recovered, 1);
  });
});

test('health names a reader that is configured and missing, but not with "auto"', async () => {
  stage.readers = [{ ...READER, present: false, problem: 'The PN532 does not answer.' }];
  await stage.start();
  assert.deepEqual(stage.nfc.problems(), []);
  stage.settings = { ...stage.settings, backend: 'pn532-i2c' };
  assert.deepEqual(stage.nfc.problems(), [`NFC reader ${reader_id}: The PN532 does not answer.`]);
  stage.send({ event: 'readers', readers: [], problem: 'No ACR122U is connected.' });
  await stage.until('the problem', () => stage.nfc.list().length === 0);
  assert.deepEqual(stage.nfc.problems(), ['NFC: No ACR122U is connected.']);
});

test('a program that does not connect is a problem, and is started again', async () => {
  const late = await NfcStage.create({ connectMs: 50, applyMs: 9000 });
  try {
    late.connects = false;
    late.nfc.start();
    await late.until('the problem', () => late.nfc.problems().length === 1);
    assert.match(late.nfc.problems().join(), /does not run/);
    await late.until('the third start', () => late.starts === 3);
    late.connects = true;
    await late.until('the readers', () => late.nfc.list().length === 1);
    assert.deepEqual(late.nfc.problems(), []);
  } finally {
    await late.close();
  }
});

test('a service that starts late is a problem until it has started', async () => {
  const slow = await NfcStage.create({ connectMs: 10_000, applyMs: 50 });
  try {
    const { promise, resolve } = Promise.withResolvers<void>();
    slow.serviceReady = promise;
    await assert.rejects(slow.nfc.apply(), /in time/);
    assert.match(slow.nfc.problems().join(), /takes long/);
    resolve();
    await slow.until('the start', () => slow.recovered === 1);
    assert.deepEqual(slow.nfc.problems(), []);
  } finally {
    await slow.close();
  }
});
