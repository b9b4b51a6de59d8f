/** Web NFC in Chromium, which has none of its own on a computer; the test is the device. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { ROOT } from '../../ci/lib/places.ts';
import { waitFor } from '../../testing/wait.ts';
import { recordsOf } from '../src/views/nfc/ndef.ts';
import { AppBrowser } from './app-browser.ts';
import type { NfcDevice } from './nfc-bridge.ts';
import type { NfcPage } from './nfc-page.ts';

declare const nfcPage: NfcPage;
declare const nfcDevice: NfcDevice;

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
/** A smart poster, and a text. */
const MESSAGE = base64('91020d537091010255053151030161637400510104540264 6541'.replace(' ', ''));
const UID = '04:a1:b2:c3';

let browser: AppBrowser;
let scripts: { device: string; page: string; client: string };
let page: Page;

async function bundled(name: string): Promise<string> {
  const { outputFiles } = await build({
    ...{ entryPoints: [join(ROOT, 'ui/tests', name)], bundle: true, write: false },
    ...{ format: 'iife', target: 'es2022' },
  });
  return outputFiles[0]?.text ?? '';
}

before(async () => {
  scripts = {
    device: await bundled('nfc-bridge.ts'),
    page: await bundled('nfc-page.ts'),
    client: await readFile(join(ROOT, 'agent/page/display-client.js'), 'utf8'),
  };
  browser = await AppBrowser.launch();
});
after(() => browser.close());

/** Opens a page that may use NFC, or not, with the client of the page channel, or without it. */
async function open(mayUse: boolean, hasClient = true): Promise<Page> {
  return await browser.visit({
    origin: `data:text/html,<html lang="de"><title>nfc</title>`,
    prepare: async (opened) => {
      await opened.addInitScript(scripts.device);
      if (mayUse) await opened.addInitScript('nfcDevice.install()');
      if (hasClient) await opened.addInitScript(scripts.client);
      await opened.addInitScript(scripts.page);
    },
  });
}

beforeEach(async () => {
  page = await open(true);
});
afterEach(() => page.close());

const seen = () => page.evaluate(() => nfcPage.seen);
const calls = () => page.evaluate(() => nfcDevice.calls());
const answer = (result: { error?: string; response?: string } = {}) =>
  page.evaluate((value) => nfcDevice.answer(value), result);
const tell = (kind: string, fields: object = {}) =>
  page.evaluate(([name, value]) => nfcDevice.tell(name, value), [kind, fields] as const);
const reading = (message = MESSAGE) => tell('nfc.reading', { serial_number: UID, message });
const until = (what: string, condition: () => Promise<boolean>) =>
  waitFor(condition, { timeoutMs: 20_000, what, intervalMs: 10 });
/** Runs something of the page that makes one call, and answers that. @param error its name */
async function answered<T>(work: Promise<T>, error?: string): Promise<[object | undefined, T]> {
  await until('the call', async () => (await calls()).length > 0);
  const [call] = await calls();
  await answer(error === undefined ? {} : { error });
  return [call, await work];
}
const startScan = () => answered(page.evaluate(() => nfcPage.scan()));

describe('scanning', () => {
  test('a page that sets its handlers after the scan has begun gets the first tag, with all its records', async () => {
    const scanning = page.evaluate(() => nfcPage.scan());
    await until('the call', async () => (await calls()).length > 0);
    assert.deepEqual(await calls(), [{ call: 'nfc.scan' }]);
    // In one task, as fast as a device can be.
    await page.evaluate(
      ([serial_number, message]) => {
        nfcDevice.answer({});
        nfcDevice.tell('nfc.reading', { serial_number, message });
      },
      [UID, MESSAGE] as const,
    );
    await scanning;
    await reading('');
    await tell('nfc.reading_error');
    await reading(base64('d1'));
    await until('the events', async () => (await seen()).length === 4);
    assert.deepEqual(await seen(), [
      `${UID}: poster(url tel:1, :act \0), text de A`,
      `${UID}: `,
      'readingerror',
      'readingerror',
    ]);
  });

  test('ends by the signal, for the last reader of the page; a reader that scans cannot scan again', async () => {
    await startScan();
    await answered(page.evaluate(() => nfcPage.scanWithListener()));
    await reading('');
    await until('both', async () => (await seen()).length === 2);
    await page.evaluate(() => nfcPage.stop());
    assert.deepEqual(await calls(), []);
    await reading('');
    await until('the other', async () => (await seen()).length === 3);
    assert.deepEqual(await seen(), [`${UID}: `, `listener ${UID}`, `listener ${UID}`]);
    const [, names] = await answered(
      page.evaluate(() => {
        const reader = new NDEFReader();
        const first = reader.scan();
        return nfcPage.names([() => reader.scan(), () => first, () => reader.scan()]);
      }),
    );
    assert.deepEqual(names, ['InvalidStateError', 'undefined', 'InvalidStateError']);
  });

  test('is told to the device only once it is over, and can begin anew', async () => {
    await startScan();
    await page.evaluate(() => nfcPage.stop());
    assert.deepEqual(await calls(), [{ call: 'nfc.stop' }]);
    await answer();
    await reading();
    await startScan();
    await reading('');
    await until('the event', async () => (await seen()).length > 0);
    assert.deepEqual(await seen(), [`${UID}: `]);
  });

  test('that is aborted before it has begun rejects with the reason', async () => {
    const names = page.evaluate(() => {
      const early = AbortSignal.abort(new RangeError('x'));
      const controller = new AbortController();
      const scanning = new NDEFReader().scan({ signal: controller.signal });
      controller.abort(new SyntaxError('y'));
      return nfcPage.names([() => new NDEFReader().scan({ signal: early }), () => scanning]);
    });
    await until('the calls', async () => (await calls()).length === 2);
    assert.deepEqual(await calls(), [{ call: 'nfc.scan' }, { call: 'nfc.stop' }]);
    await answer({ error: 'AbortError' });
    assert.deepEqual(await names, ['RangeError', 'SyntaxError']);
    await answer();
    const [, failed] = await answered(page.evaluate(() => nfcPage.names([() => new NDEFReader().scan()])));
    assert.deepEqual(failed, ['undefined']);
  });

  test('goes on after the channel was closed, or ends with an error event', async () => {
    await startScan();
    await tell('closed');
    assert.deepEqual(await calls(), [{ call: 'nfc.scan' }]);
    await answer();
    await reading('');
    await tell('closed');
    await answer({ error: 'NetworkError' });
    await until('the error', async () => (await seen()).length === 2);
    assert.deepEqual(await seen(), [`${UID}: `, 'readingerror']);
    await tell('closed');
    assert.deepEqual(await calls(), []);
  });
});

describe('writing', () => {
  test('a string, bytes, and a smart poster, in the language of the document', async () => {
    const written = async (work: Promise<string>) => {
      const [call, outcome] = await answered(work);
      assert.equal(outcome, 'written');
      return call;
    };
    const text = await written(page.evaluate(() => nfcPage.write('Grüße', { overwrite: false })));
    const message = base64('d1010a540264654772c3bcc39f65');
    assert.deepEqual(text, { call: 'nfc.write', message, overwrite: false });
    assert.deepEqual(recordsOf(Buffer.from(message, 'base64')), [
      { kind: 'text', text: 'Grüße', language: 'de' },
    ]);
    const bytes = await written(page.evaluate(() => nfcPage.write(new Uint16Array([1]).buffer)));
    const type = Buffer.from('application/octet-stream').toString('hex');
    assert.deepEqual(bytes, { call: 'nfc.write', message: base64(`d21802${type}0100`), overwrite: true });
    const poster = await written(page.evaluate(() => nfcPage.writePoster()));
    assert.ok(poster && 'message' in poster && typeof poster.message === 'string');
    assert.deepEqual(recordsOf(Buffer.from(poster.message, 'base64')), [
      { kind: 'address', text: 'https://example.com/' },
      { kind: 'text', text: 'Hallo', language: 'de' },
      { kind: 'other', type: 'act', size: 1 },
      { kind: 'media', type: 'image/png', text: undefined, size: 2 },
    ]);
  });

  test('fails as the device says, and by what cannot be written, without a call', async () => {
    for (const name of ['NotAllowedError', 'NotSupportedError', 'NetworkError', 'TypeError']) {
      assert.equal(
        (
          await answered(
            page.evaluate(() => nfcPage.write('x')),
            name,
          )
        )[1],
        name,
      );
    }
    const names = await page.evaluate(() => {
      const write = (message: unknown, options?: unknown) => () =>
        Reflect.apply(NDEFReader.prototype.write, new NDEFReader(), [message, options]);
      // In a page that is not isolated only WebAssembly has shared memory.
      const shared = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
      const cyclic = { recordType: 'a.b:c', data: {} };
      cyclic.data = { records: [cyclic] };
      return nfcPage.names([
        write(null),
        write(Symbol()),
        write({}),
        write({ records: [] }),
        write({ records: [{}] }),
        write({ records: [{ recordType: 'text', data: 1 }] }),
        write({ records: [cyclic] }),
        write(shared.buffer),
        write('x', 1),
        write('x', { signal: {} }),
        write({ records: [{ recordType: 'url', data: '/' }] }),
        write(new Uint8Array(65_533)),
        () => new NDEFReader().makeReadOnly(),
      ]);
    });
    const types = Array(10).fill('TypeError');
    assert.deepEqual(names, [...types, 'SyntaxError', 'NotSupportedError', 'NotSupportedError']);
    assert.deepEqual(await calls(), []);
  });

  test('is aborted by its own signal, not by that of an earlier write', async () => {
    assert.equal(await page.evaluate(() => nfcPage.writeAborted('before')), 'AbortError');
    assert.deepEqual(await calls(), []);
    const outcome = page.evaluate(() => nfcPage.writeAborted('meanwhile'));
    await until('the calls', async () => (await calls()).length === 2);
    assert.deepEqual((await calls())[1], { call: 'nfc.abort_write' });
    await answer({ error: 'AbortError' });
    await answer();
    assert.equal(await outcome, 'AbortError');
    await page.evaluate(() => {
      const controller = new AbortController();
      void nfcPage.write('first', { signal: controller.signal });
      void nfcPage.write('second');
      controller.abort();
    });
    assert.equal((await calls()).length, 2);
  });
});

test('the interfaces are those of the specification', async () => {
  const found = await page.evaluate(async () => {
    const record = new NDEFRecord({ recordType: 'text', data: 'é', id: 'x' });
    const external = new NDEFRecord({
      ...{ recordType: 'a.b:c' },
      data: { records: [{ recordType: ':x', data: new Uint8Array([7]) }] },
    });
    const message = new NDEFMessage({ records: [{ recordType: 'empty' }] });
    const event = new NDEFReadingEvent('reading', {
      serialNumber: 'a',
      message: { records: [{ recordType: 'empty' }] },
    });
    const reader = new NDEFReader();
    const handler = () => undefined;
    Reflect.set(reader, 'onreading', handler);
    const isKept = reader.onreading === handler;
    Reflect.set(reader, 'onreading', 1);
    const { name, length } = NDEFReadingEvent;
    const inner = external.toRecords?.();
    return {
      record: [record.recordType, record.id, record.encoding, record.lang, record.data?.byteLength],
      nulls: [record.mediaType, message.records[0]?.data, message.records[0]?.id],
      inner: inner?.map(({ recordType, data }) => [recordType, data?.getUint8(0)]),
      event: [event.serialNumber, event instanceof Event, Object.isFrozen(event.message.records)],
      shape: [name, length, String(reader), String(message), Object.keys(NDEFReader.prototype).sort().join()],
      handlers: [isKept, reader.onreading],
      names: await nfcPage.names([
        () => record.toRecords?.(),
        () => Reflect.construct(NDEFRecord, []),
        () => Reflect.construct(NDEFMessage, [{}]),
        () => new NDEFMessage({ records: [] }),
        () => new NDEFRecord({ recordType: ':act', data: new Uint8Array(1) }),
        () => Reflect.construct(NDEFReadingEvent, ['reading']),
        () => Reflect.apply(NDEFReader, undefined, []),
        () => Reflect.apply(reader.scan, {}, []),
      ]),
    };
  });
  assert.deepEqual(found, {
    record: ['text', 'x', 'utf-8', 'de', 2],
    nulls: [null, null, null],
    inner: [[':x', 7]],
    event: ['a', true, true],
    shape: [
      'NDEFReadingEvent',
      2,
      '[object NDEFReader]',
      '[object NDEFMessage]',
      'makeReadOnly,onreading,onreadingerror,scan,write',
    ],
    handlers: [true, null],
    names: ['NotSupportedError', ...Array(7).fill('TypeError')],
  });
});

describe('vitrine.nfc', () => {
  for (const hasClient of [true, false]) {
    test(`exchanges APDUs ${hasClient ? 'beside' : 'without'} the client of the page channel`, async () => {
      await page.close();
      page = await open(true, hasClient);
      const exchange = page.evaluate(() => nfcPage.transceive([0, 0xa4, 4, 0]));
      await until('the call', async () => (await calls()).length > 0);
      assert.deepEqual(await calls(), [{ call: 'nfc.transceive', apdu: base64('00a40400') }]);
      await answer({ response: base64('019000') });
      assert.equal(await exchange, '1,144,0');
      const names = await page.evaluate(() =>
        nfcPage.names([
          () => nfcPage.transceive([0, 1, 2]),
          () => Reflect.apply(window.vitrine.nfc?.transceive ?? Map, null, ['x']),
        ]),
      );
      assert.deepEqual(names, ['TypeError', 'TypeError']);
      const client = await page.evaluate(() => [typeof window.vitrine.send, typeof window.vitrine.onmessage]);
      assert.deepEqual(client, hasClient ? ['function', 'object'] : ['undefined', 'undefined']);
    });
  }

  test('and the interfaces are absent in a page that may not use NFC', async () => {
    await page.close();
    page = await open(false);
    const found = await page.evaluate(() => [
      ...['NDEFReader', 'NDEFMessage', 'NDEFRecord', 'NDEFReadingEvent'].filter((name) => name in window),
      'nfc' in window.vitrine,
      typeof window.vitrine.send,
    ]);
    assert.deepEqual(found, [false, 'function']);
    await page.close();
    page = await open(false, false);
    assert.equal(await page.evaluate(() => 'vitrine' in window), false);
  });
});
