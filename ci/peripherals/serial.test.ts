/** A page that uses Web Serial as the specification says, with a port that echoes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PORT } from './devices.ts';
import { PeripheralStage } from './stage.ts';

let stage: PeripheralStage;
before(async () => {
  stage = await PeripheralStage.launch();
});
after(() => stage.close());

test('a port is found, opened with valid options, written, read and closed', async () => {
  const page = await stage.page(['serial']);
  const seen = await page.evaluate(async (port) => {
    const { agent } = window;
    agent.devices = [{ ...port, device: 9, usbProductId: 1 }, { kind: 'serial', device: 8 }, port];
    const failure = (run: () => Promise<unknown>): Promise<string> =>
      run().then(
        () => 'none',
        (error: Error) => error.name,
      );
    const first = await navigator.serial.requestPort();
    const found = await navigator.serial.requestPort({
      filters: [{ usbVendorId: 1 }, { usbVendorId: 0x0403, usbProductId: 0x6001 }],
    });
    const ports = await navigator.serial.getPorts();
    const infos = ports.map((entry) => entry.getInfo());
    const request = (filter: SerialPortFilter) =>
      failure(() => navigator.serial.requestPort({ filters: [filter] }));
    const misses = [
      await request({ usbVendorId: 0x0404 }),
      await request({ usbVendorId: 0x0403, usbProductId: 0x6002 }),
      await request({ bluetoothServiceClassId: 1 }),
      await request({ bluetoothServiceClassId: 1, usbVendorId: 1 }),
    ];
    const closed = [
      String(found.readable),
      String(found.writable),
      await failure(() => found.close()),
      await failure(() => found.getSignals()),
      await failure(() => found.setSignals({ break: true })),
    ];
    const wrong: string[] = [];
    for (const options of [
      {},
      { baudRate: 0 },
      { baudRate: -1 },
      { baudRate: 2 ** 32 },
      { baudRate: 9600, dataBits: 6 },
      { baudRate: 9600, stopBits: 3 },
      { baudRate: 9600, parity: 'mark' },
      { baudRate: 9600, flowControl: 'software' },
      { baudRate: 9600, bufferSize: 0 },
      { baudRate: 9600, bufferSize: 16 * 1024 * 1024 + 1 },
    ]) {
      // @ts-expect-error: wrong options
      wrong.push(await failure(() => found.open(options)));
    }
    const opening = found.open({ baudRate: 115200, parity: 'even', stopBits: 2 });
    const twice = [await failure(() => found.open({ baudRate: 1 }))];
    await opening;
    twice.push(await failure(() => found.open({ baudRate: 1 })));
    const signals = await found.getSignals();
    await found.setSignals({ dataTerminalReady: false, break: true });
    const empty = await failure(() => found.setSignals({}));

    const { readable, writable } = found;
    if (!readable || !writable) throw new Error('There are no streams.');
    const writer = writable.getWriter();
    const long = new Uint8Array(150_000).map((_, at) => at * 3 + (at >> 8));
    const writing = writer.write(long);
    const reader = readable.getReader();
    const received: number[] = [];
    // The port echoes more than there is credit for, and drops that.
    while (received.length < 16 * 1024) received.push(...((await reader.read()).value ?? []));
    await writing;
    const parts = agent.sent('serial.write').map((data) => atob(data).length);
    // @ts-expect-error: not bytes
    const text = await failure(() => writer.write('text'));
    const replaced = [found.writable !== writable, found.readable === readable];
    const other = found.writable?.getWriter();
    const locked = [await failure(() => found.close()), String(found.readable === readable)];
    await other?.write(new Uint8Array([1]));
    await other?.close();
    const afterClose = found.writable;
    await reader.cancel();
    reader.releaseLock();
    const renewed = found.readable !== readable;
    const closing = found.close();
    const whileClosing = await failure(() => found.close());
    await closing;
    const calls = agent.requests.map(({ call }) => call.replace('serial.', ''));
    const requests = agent.requests.filter(({ call }) => /open|set_signals|flush/.test(call));
    return {
      ...{
        first: first === ports[0],
        found: found === ports[2],
        infos,
        misses,
        closed,
        wrong,
        twice,
        signals,
      },
      ...{ empty, parts, text, replaced, locked, afterClose: afterClose !== null, renewed, whileClosing },
      ...{ ended: [String(found.readable), String(found.writable)], last: calls.slice(-5), requests },
      prefix: received.every((byte, at) => byte === long[at]) && received.length,
    };
  }, PORT);
  const { prefix, ...rest } = seen;
  assert.ok(typeof prefix === 'number' && prefix >= 16 * 1024, `${prefix} bytes of the echo are right`);
  assert.deepEqual(rest, {
    ...{ first: true, found: true },
    infos: [{ usbVendorId: 0x0403, usbProductId: 1 }, {}, { usbVendorId: 0x0403, usbProductId: 0x6001 }],
    misses: ['NotFoundError', 'NotFoundError', 'NotFoundError', 'TypeError'],
    closed: ['null', 'null', 'InvalidStateError', 'InvalidStateError', 'InvalidStateError'],
    wrong: Array(10).fill('TypeError'),
    twice: ['InvalidStateError', 'InvalidStateError'],
    signals: { dataCarrierDetect: true, clearToSend: false, ringIndicator: true, dataSetReady: false },
    ...{ empty: 'TypeError', parts: [65536, 65536, 150_000 - 131_072], text: 'TypeError' },
    ...{ replaced: [true, true], locked: ['TypeError', 'true'], afterClose: true, renewed: true },
    ...{ whileClosing: 'InvalidStateError', ended: ['null', 'null'] },
    last: ['write', 'drain', 'flush', 'credit', 'close'],
    requests: [
      {
        id: rest.requests[0]?.id,
        call: 'serial.open',
        device: 2,
        options: { baudRate: 115200, dataBits: 8, stopBits: 2, parity: 'even', flowControl: 'none' },
      },
      {
        id: rest.requests[1]?.id,
        call: 'serial.set_signals',
        device: 2,
        dataTerminalReady: false,
        break: true,
      },
      { id: rest.requests[2]?.id, call: 'serial.flush', device: 2, direction: 'in' },
    ],
  });
});

test('a port sends no more than the page has asked for, and the page asks as it reads', async () => {
  const page = await stage.page(['serial']);
  const seen = await page.evaluate(async (port) => {
    const { agent } = window;
    agent.devices = [port];
    const [opened] = await navigator.serial.getPorts();
    if (!opened) throw new Error('There is no port.');
    /** A port that always has more. */
    const total = 400_000;
    const transfer = async (bufferSize: number, read: () => Promise<Uint8Array | undefined>) => {
      agent.mostCredit = 0;
      let sent = 0;
      let got = 0;
      let most = 0;
      let isRight = true;
      while (got < total) {
        const bytes = new Uint8Array(Math.min(agent.credit, total - sent, 5000)).map(
          (_, at) => (sent + at) % 251,
        );
        sent += agent.receive(port.device, bytes);
        most = Math.max(most, sent - got + agent.credit);
        if (agent.credit > 0 && sent < total) continue;
        if (sent === got) {
          // What the page asks for is on its way.
          await new Promise((done) => setTimeout(done, 0));
          continue;
        }
        const part = (await read()) ?? new Uint8Array();
        isRight &&= part.every((byte, at) => byte === (got + at) % 251);
        got += part.length;
      }
      return {
        isRight,
        got,
        most,
        mostCredit: agent.mostCredit,
        isBounded: most <= Math.max(bufferSize, 16384),
      };
    };
    await opened.open({ baudRate: 9600 });
    const small = opened.readable?.getReader();
    const { readable } = opened;
    await new Promise((done) => setTimeout(done, 0));
    const before = agent.credit;
    // Nobody reads, so nothing more is asked for.
    agent.receive(port.device, new Uint8Array(agent.credit));
    await new Promise((done) => setTimeout(done, 0));
    const stalled = agent.credit;
    await small?.read();
    const first = await transfer(255, async () => (await small?.read())?.value);
    await small?.cancel();
    small?.releaseLock();
    await opened.close();
    agent.credit = 0;

    await opened.open({ baudRate: 9600, bufferSize: 200_000 });
    const byob = opened.readable?.getReader({ mode: 'byob' });
    let buffer = new ArrayBuffer(3000);
    const second = await transfer(200_000, async () => {
      const result = await byob?.read(new Uint8Array(buffer, 100, 2000));
      if (!result?.value) return undefined;
      buffer = result.value.buffer;
      return result.value;
    });
    return { before, stalled, renewed: readable !== opened.readable, first, second };
  }, PORT);
  assert.equal(seen.before, 16 * 1024);
  assert.equal(seen.stalled, 0);
  assert.ok(seen.renewed);
  for (const result of [seen.first, seen.second]) {
    assert.ok(result.isRight && result.isBounded, JSON.stringify(result));
    assert.equal(result.got, 400_000);
  }
  assert.ok(seen.first.mostCredit <= 16 * 1024 && seen.second.mostCredit <= 64 * 1024, JSON.stringify(seen));
});
