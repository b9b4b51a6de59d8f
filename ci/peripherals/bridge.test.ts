/** The channel between the shims and the agent, and pages that replace what the shims use. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PORT, PRINTER, SCANNER } from './devices.ts';
import { PeripheralStage } from './stage.ts';

let stage: PeripheralStage;
before(async () => {
  stage = await PeripheralStage.launch();
});
after(() => stage.close());

test('messages that are not taken wait in order, and not too many', async () => {
  const page = await stage.page(['hid']);
  const seen = await page.evaluate(async (scanner) => {
    const { agent } = window;
    const failure = (promise: Promise<unknown>): Promise<string> =>
      promise.then(
        () => 'none',
        (error: Error) => error.name,
      );
    agent.hasChannel = false;
    const none = (await navigator.hid.getDevices()).length;
    agent.hasChannel = true;
    agent.devices = [scanner];
    const [device] = await navigator.hid.getDevices();
    if (!device) throw new Error('There is no device.');
    await device.open();
    agent.isTaking = false;
    const sends = Array.from({ length: 600 }, (_, at) => failure(device.sendReport(1, new Uint8Array([at]))));
    const refused = (await Promise.all(sends.slice(512))).filter((name) => name === 'OperationError').length;
    const before = agent.sent('hid.send_report').length;
    agent.isTaking = true;
    // Not before the browser has said so.
    const late = failure(device.close());
    const early = agent.sent('hid.send_report').length;
    agent.ready();
    const waited = (await Promise.all(sends.slice(0, 512))).filter((name) => name === 'none').length;
    const order = agent.sent('hid.send_report').every((data, at) => atob(data).charCodeAt(0) === at % 256);
    // 16 MiB do not wait.
    await device.open().catch(() => undefined);
    agent.isTaking = false;
    const large = await Promise.all(
      Array.from({ length: 8 }, (_, at) => {
        const sending = failure(device.sendReport(1, new Uint8Array(1024 * 1024)));
        return at < 5 ? 'waits' : sending;
      }),
    );
    return { none, refused, before, early, waited, order, late: await late, large };
  }, SCANNER);
  assert.deepEqual(seen, {
    ...{ none: 0, refused: 88, before: 0, early: 0, waited: 512, order: true },
    // The 513th call.
    late: 'OperationError',
    large: [...Array(5).fill('waits'), 'OperationError', 'OperationError', 'OperationError'],
  });
});

test('a call fails if the browser takes no message for 30 s, also if the page goes on calling', async () => {
  const page = await stage.page(['hid'], true);
  const seen = page.evaluate(async () => {
    const { agent } = window;
    const opening = navigator.hid.getDevices();
    agent.ready();
    await opening;
    agent.isTaking = false;
    const calls = [navigator.hid.getDevices()];
    // A page that asks every second.
    setInterval(() => calls.push(navigator.hid.getDevices()), 1000);
    document.title = 'refused';
    const first = (await calls[0])?.length;
    return { first, count: calls.length, taken: agent.requests.length };
  });
  await page.waitForFunction(() => document.title === 'refused', undefined, { polling: 'raf' });
  await page.clock.runFor(31_000);
  const { count, ...rest } = await seen;
  assert.deepEqual(rest, { first: 0, taken: 1 });
  assert.ok(count === 30 || count === 31, `${count} calls`);
});

test('when the browser closes the channel, everything ends, and the page finds new devices by a new one', async () => {
  const page = await stage.page();
  const seen = await page.evaluate(
    async ({ scanner, port }) => {
      const { agent } = window;
      agent.devices = [scanner, port];
      const events: string[] = [];
      let known = 0;
      const connected = new Promise<void>((done) => {
        navigator.hid.addEventListener('connect', ({ type }) => {
          events.push(type);
          done();
        });
      });
      navigator.hid.addEventListener('disconnect', ({ type }) => events.push(type));
      const [device] = await navigator.hid.getDevices();
      const [opened] = await navigator.serial.getPorts();
      if (!device || !opened) throw new Error('There are no devices.');
      await device.open();
      await opened.open({ baudRate: 9600 });
      const reading = opened.readable?.getReader().read();
      agent.silent = ['hid.receive_feature_report'];
      const failure = (promise: Promise<unknown> | undefined): Promise<string> =>
        (promise ?? Promise.resolve()).then(
          () => 'none',
          (error: Error) => error.name,
        );
      const failures = [failure(device.receiveFeatureReport(1)), failure(reading)];
      await new Promise((done) => setTimeout(done, 0));
      agent.close();
      const results = await Promise.all(failures);
      results.push(String(device.opened), String(opened.readable), String(opened.connected));
      await connected;
      const [next] = await navigator.hid.getDevices();
      known = (await navigator.hid.getDevices()).length;
      await next?.open();
      return { results, events, isNew: next !== device, opened: next?.opened, known };
    },
    { scanner: SCANNER, port: PORT },
  );
  assert.deepEqual(seen, {
    results: ['NotAllowedError', 'NetworkError', 'false', 'null', 'false'],
    ...{ events: ['disconnect', 'connect'], isNew: true, opened: true, known: 1 },
  });
});

test('events that a page makes up harm itself only for as long as it makes them', async () => {
  const page = await stage.page(['hid']);
  const count = await page.evaluate(async (scanner) => {
    const { agent } = window;
    agent.devices = [scanner];
    const forge = (name: string, detail?: unknown) =>
      window.dispatchEvent(new CustomEvent(`vitrine-devices-${name}`, { detail }));
    // Before there is a channel, answers to calls that nobody made, peripherals that nobody knows.
    forge('closed');
    forge('ready');
    forge('message', '{"id":7,"result":{}}');
    forge('message', '{"event":"closed","device":7,"reason":"x"}');
    forge('message', '{"event":"hid.input","device":7,"report_id":1,"data":"AA=="}');
    forge('message', '{"event":"x"}');
    return (await navigator.hid.getDevices()).length;
  }, SCANNER);
  assert.equal(count, 1);
});

test('errors of the agent arrive with their name', async () => {
  const page = await stage.page(['usb']);
  const seen = await page.evaluate(async (printer) => {
    const { agent } = window;
    agent.devices = [printer];
    const [device] = await navigator.usb.getDevices();
    const errors: unknown[] = [];
    for (const name of ['TypeError', 'SecurityError', 'NetworkError']) {
      agent.errors = { 'usb.open': { name, message: `It is a ${name}.` } };
      await device?.open().catch((error: Error) => {
        errors.push([error.name, error.message, error instanceof TypeError, error instanceof DOMException]);
      });
    }
    return errors;
  }, PRINTER);
  assert.deepEqual(seen, [
    ['TypeError', 'It is a TypeError.', true, false],
    ['SecurityError', 'It is a SecurityError.', false, true],
    ['NetworkError', 'It is a NetworkError.', false, true],
  ]);
});

test('a page that has replaced globals and prototypes gets its bytes all the same', async () => {
  const page = await stage.isolatedPage([SCANNER, PORT, PRINTER]);
  // Not with `page.evaluate`, which uses in the page what it replaces.
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send('Runtime.evaluate', {
    expression: `(${replaceAndRun})()`,
    awaitPromise: true,
    returnByValue: true,
  });
  assert.equal(result.value, 'report of 3, transfer of 3, read 1 2 3');
});

/** Runs in a page. Its own code uses nothing that it has replaced. */
async function replaceAndRun(): Promise<string> {
  const bytes = new Uint8Array([1, 2, 3]);
  const buffers = Object.getPrototypeOf(Uint8Array.prototype);
  const targets: [object, (string | symbol)[]][] = [
    [JSON, ['parse', 'stringify']],
    [EventTarget.prototype, ['dispatchEvent', 'addEventListener', 'removeEventListener']],
    [Array.prototype, ['push', 'shift', 'map', 'find', 'includes', 'filter', 'forEach']],
    [Map.prototype, ['get', 'set', 'has', 'delete']],
    [Promise.prototype, ['then', 'catch', 'finally']],
    [Object, ['create', 'freeze', 'keys', 'defineProperty']],
    [Reflect, ['apply', 'get', 'ownKeys']],
    [Uint8Array, ['fromBase64']],
    [Uint8Array.prototype, ['toBase64']],
    [buffers, ['set', 'subarray', 'slice', Symbol.iterator]],
    [Function.prototype, ['call', 'apply', 'bind']],
    [ReadableByteStreamController.prototype, ['enqueue', 'error', 'byobRequest']],
    [ReadableStream.prototype, ['cancel']],
    [WritableStream.prototype, ['abort']],
    [
      window,
      ['CustomEvent', 'Event', 'Promise', 'Map', 'Uint8Array', 'DataView', 'DOMException', 'TypeError'],
    ],
    [
      window,
      ['EventTarget', 'ReadableStream', 'WritableStream', 'dispatchEvent', 'setTimeout', 'atob', 'btoa'],
    ],
  ];
  const value = (): never => {
    throw new Error('replaced');
  };
  const { defineProperty } = Reflect;
  for (const [owner, names] of targets)
    for (const name of names) defineProperty(owner, name, { configurable: true, value });
  // The iterator of arrays last, which this code uses too.
  defineProperty(Array.prototype, Symbol.iterator, { configurable: true, value });
  try {
    const hid = (await navigator.hid.getDevices())[0];
    const port = (await navigator.serial.getPorts())[0];
    const usb = (await navigator.usb.getDevices())[0];
    if (!hid || !port || !usb) return 'There are no devices.';
    let report = 0;
    hid.oninputreport = (event) => {
      report = event.data.byteLength;
    };
    await hid.open();
    await hid.sendReport(1, bytes);
    await usb.open();
    await usb.claimInterface(0);
    await usb.transferOut(1, bytes);
    const transfer = await usb.transferIn(2, 64);
    await port.open({ baudRate: 9600 });
    const reader = port.readable?.getReader();
    const writer = port.writable?.getWriter();
    const reading = reader?.read();
    await writer?.write(bytes);
    const read = (await reading)?.value;
    await reader?.cancel();
    reader?.releaseLock();
    writer?.releaseLock();
    await port.close();
    await hid.close();
    await usb.close();
    return `report of ${report}, transfer of ${transfer.data?.byteLength}, read ${read?.[0]} ${read?.[1]} ${read?.[2]}`;
  } catch (error) {
    return `failed: ${error instanceof Error ? error.stack : error}`;
  }
}
