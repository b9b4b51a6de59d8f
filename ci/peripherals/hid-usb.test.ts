/** Pages that use WebHID and WebUSB as the specifications say, with devices that echo. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PRINTER, SCANNER } from './devices.ts';
import { PeripheralStage } from './stage.ts';

let stage: PeripheralStage;
before(async () => {
  stage = await PeripheralStage.launch();
});
after(() => stage.close());

test('a HID device is found, opened, written and read, closed and given up', async () => {
  const page = await stage.page(['hid']);
  const seen = await page.evaluate(async (scanner) => {
    const { agent } = window;
    agent.devices = [scanner];
    const failure = async (run: () => Promise<unknown>): Promise<string> => {
      try {
        await run();
        return 'none';
      } catch (error) {
        return error instanceof Error ? error.name : String(error);
      }
    };
    const bytesOf = (view: DataView) => [...new Uint8Array(view.buffer, view.byteOffset, view.byteLength)];
    const [device] = await navigator.hid.requestDevice({ filters: [] });
    if (!device) throw new Error('There is no device.');
    const [same] = await navigator.hid.getDevices();
    // A page may change what it gets, which changes nothing else.
    const [changed] = structuredClone(device.collections);
    Object.assign(device.collections[0] ?? {}, { usagePage: 1 });
    const byUsage = (await navigator.hid.requestDevice({ filters: [{ usagePage: 0x8c }] })).length;
    Object.assign(device.collections[0] ?? {}, changed);
    const { vendorId, productId, productName, collections } = device;
    const errors = {
      closed: await failure(() => device.sendReport(3, new Uint8Array(1))),
      feature: await failure(() => device.receiveFeatureReport(1)),
    };
    const opening = device.open();
    const twice = await failure(() => device.open());
    await opening;
    const again = await failure(() => device.open());
    const reports: unknown[] = [];
    const order: string[] = [];
    device.addEventListener('inputreport', () => order.push('listener'));
    device.oninputreport = (event) => {
      order.push('handler');
      reports.push([event.reportId, bytesOf(event.data), event.device === device, event.target === device]);
    };
    await device.sendReport(3, new Uint8Array([9, 1, 2, 9]).subarray(1, 3));
    await device.sendReport(0, new Uint16Array([0x0201]).buffer);
    await device.sendFeatureReport(7, new DataView(new Uint8Array([5, 6]).buffer));
    const feature = bytesOf(await device.receiveFeatureReport(7));
    await device.sendFeatureReport(0, new Uint8Array([8]));
    const plain = bytesOf(await device.receiveFeatureReport(0));
    const wrong = [
      await failure(() => device.sendReport(256, new Uint8Array(1))),
      await failure(() => device.sendReport(-1, new Uint8Array(1))),
      // @ts-expect-error: not bytes
      await failure(() => device.sendReport(1, [1])),
      // @ts-expect-error: no argument
      await failure(() => device.receiveFeatureReport()),
    ];
    agent.errors['hid.send_report'] = { name: 'NotAllowedError', message: 'Failed to write the report.' };
    const refused = await failure(() => device.sendReport(3, new Uint8Array(1)));
    const { opened } = device;
    await device.close();
    await device.close();
    // A report that was on its way.
    agent.send({ event: 'hid.input', device: 1, report_id: 3, data: 'AQ==' });
    const closed = device.opened;
    await device.forget();
    const forgotten = await failure(() => device.open());
    const disconnected: unknown[] = [];
    navigator.hid.ondisconnect = (event) => disconnected.push(event);
    agent.close();
    const stays = [await failure(() => device.open()), disconnected.length];
    const left = await navigator.hid.getDevices();
    return {
      ...{
        same: same === device,
        byUsage,
        vendorId,
        productId,
        productName,
        errors,
        twice,
        again,
        reports,
        order,
      },
      ...{ feature, plain, wrong, refused, opened, closed, forgotten, stays, left: left.length },
      ...{ frozen: Object.isFrozen(collections), collections },
    };
  }, SCANNER);
  assert.deepEqual(seen, {
    ...{ same: true, byUsage: 1, vendorId: 0x1234, productId: 0x5678, productName: 'Scanner' },
    errors: { closed: 'InvalidStateError', feature: 'InvalidStateError' },
    ...{ twice: 'InvalidStateError', again: 'InvalidStateError' },
    reports: [
      [3, [1, 2], true, true],
      [0, [1, 2], true, true],
    ],
    order: ['listener', 'handler', 'listener', 'handler'],
    ...{ feature: [7, 5, 6], plain: [8], wrong: ['TypeError', 'TypeError', 'TypeError', 'TypeError'] },
    ...{ refused: 'NotAllowedError', opened: true, closed: false, forgotten: 'InvalidStateError', left: 0 },
    stays: ['InvalidStateError', 0],
    ...{ frozen: true, collections: SCANNER.collections },
  });
});

test('reports that come with the answer to open, or before it, are not lost', async () => {
  const page = await stage.page(['hid']);
  const seen = await page.evaluate(async (scanner) => {
    const { agent } = window;
    agent.devices = [scanner];
    const [device] = await navigator.hid.getDevices();
    if (!device) throw new Error('There is no device.');
    const reports: unknown[] = [];
    device.oninputreport = (event) => reports.push([event.data.getUint8(0), device.opened]);
    const input = (data: string) => agent.send({ event: 'hid.input', device: 1, report_id: 3, data });
    // Nobody has opened it.
    input('AA==');
    agent.silent = ['hid.open'];
    const opening = device.open();
    await new Promise((done) => setTimeout(done, 0));
    input('AQ==');
    agent.send({ id: agent.requests.at(-1)?.id ?? 0, result: {} });
    input('Ag==');
    await opening;
    return reports;
  }, SCANNER);
  assert.deepEqual(seen, [
    [1, true],
    [2, true],
  ]);
});

test('a device that is unplugged while it is listed is not listed', async () => {
  const page = await stage.page(['hid']);
  const counts = await page.evaluate(async (scanner) => {
    const { agent } = window;
    agent.silent = ['list'];
    agent.devices = [scanner];
    const listing = navigator.hid.getDevices();
    while (agent.requests.length === 0) await new Promise((done) => setTimeout(done, 0));
    agent.send({ id: agent.requests.at(-1)?.id ?? 0, result: { devices: [scanner] } });
    agent.unplug(1);
    const count = (await listing).length;
    // The numbers of another channel are others.
    agent.silent = [];
    agent.devices = [scanner];
    agent.close();
    return [count, (await navigator.hid.getDevices()).length];
  }, SCANNER);
  assert.deepEqual(counts, [0, 1]);
});

test('only a device that matches all members of a filter is found', async () => {
  const page = await stage.page();
  const wrong = await page.evaluate(
    async ({ scanner, printer }) => {
      window.agent.devices = [scanner, printer];
      const hid = async (options: object): Promise<string> => {
        // @ts-expect-error: exclusionFilters are not in the types yet
        return `${(await navigator.hid.requestDevice(options)).length}`;
      };
      const usb = async (options: USBDeviceRequestOptions): Promise<string> =>
        (await navigator.usb.requestDevice(options)).productName ?? '';
      const ids = { vendorId: 0x1234, productId: 0x5678 };
      const maker = { vendorId: 0x04b8, productId: 0x0e15 };
      const codes = { classCode: 7, subclassCode: 1, protocolCode: 3 };
      const cases: [() => Promise<string>, string][] = [
        [() => hid({ filters: [{ ...ids, usagePage: 0xff00, usage: 1 }] }), '1'],
        [() => hid({ filters: [{ vendorId: 1 }, { usagePage: 0x8c }] }), '1'],
        [() => hid({ filters: [{ ...ids, productId: 0x5679 }] }), '0'],
        [() => hid({ filters: [{ ...ids, vendorId: 0x1235 }] }), '0'],
        // The vendor's id has 32 bits, the product's 16.
        [() => hid({ filters: [{ vendorId: 0x11234 }] }), '0'],
        [() => hid({ filters: [{ ...ids, productId: 0x15678 }] }), '1'],
        // Page and usage of different collections.
        [() => hid({ filters: [{ usagePage: 0x8c, usage: 1 }] }), '0'],
        [() => hid({ filters: [], exclusionFilters: [{ usagePage: 0x8c }] }), '0'],
        [() => hid({ filters: [], exclusionFilters: [{ usagePage: 0x8d }] }), '1'],
        [() => hid({ filters: [], exclusionFilters: [] }), 'TypeError'],
        [() => hid({ filters: [{}] }), 'TypeError'],
        [() => hid({ filters: [{ productId: 1 }] }), 'TypeError'],
        [() => hid({ filters: [{ usage: 1, vendorId: 1 }] }), 'TypeError'],
        [() => usb({ filters: [] }), 'Printer'],
        [() => usb({ filters: [{}] }), 'Printer'],
        [() => usb({ filters: [{ ...maker, ...codes, serialNumber: 'A1' }] }), 'Printer'],
        [() => usb({ filters: [{ classCode: 255 }] }), 'Printer'],
        [() => usb({ filters: [{ classCode: 0 }] }), 'Printer'],
        [() => usb({ filters: [{ ...maker, vendorId: 0x04b9 }] }), 'NotFoundError'],
        [() => usb({ filters: [{ ...maker, productId: 0x0e16 }] }), 'NotFoundError'],
        [() => usb({ filters: [{ serialNumber: 'a1' }] }), 'NotFoundError'],
        [() => usb({ filters: [{ ...codes, classCode: 8 }] }), 'NotFoundError'],
        [() => usb({ filters: [{ ...codes, subclassCode: 4 }] }), 'NotFoundError'],
        [() => usb({ filters: [{ ...codes, protocolCode: 5 }] }), 'NotFoundError'],
        [() => usb({ filters: [], exclusionFilters: [{ classCode: 7 }] }), 'NotFoundError'],
        [() => usb({ filters: [{ productId: 1 }] }), 'TypeError'],
        [() => usb({ filters: [{ subclassCode: 1 }] }), 'TypeError'],
        [() => usb({ filters: [{ classCode: 7, protocolCode: 1 }] }), 'TypeError'],
      ];
      const failed: string[] = [];
      for (const [run, wanted] of cases) {
        const got = await run().catch((error: Error) => error.name);
        if (got !== wanted) failed.push(`${run}: ${got}, not ${wanted}`);
      }
      return failed;
    },
    { scanner: SCANNER, printer: PRINTER },
  );
  assert.deepEqual(wrong, []);
});

test('devices that are plugged in and unplugged, also during a transfer', async () => {
  const page = await stage.page();
  const seen = await page.evaluate(
    async ({ scanner, printer }) => {
      const { agent } = window;
      const failure = (promise: Promise<unknown>): Promise<string> =>
        promise.then(
          () => 'none',
          (error: Error) => error.name,
        );
      const events: unknown[] = [];
      const devices: unknown[] = [];
      navigator.hid.addEventListener('connect', ({ type, device }) => {
        events.push([type, device.productName]);
        devices.push(device);
      });
      navigator.hid.ondisconnect = (event) => {
        if (event instanceof HIDConnectionEvent) events.push([event.type, devices.includes(event.device)]);
      };
      navigator.usb.onconnect = (event) => events.push([event.type, event.device.productName]);
      navigator.usb.addEventListener('disconnect', ({ type }) => events.push([type, 'usb']));
      await Promise.all([navigator.hid.getDevices(), navigator.usb.getDevices()]);
      agent.plug(scanner);
      agent.plug(printer);
      const [hid] = await navigator.hid.getDevices();
      const [usb] = await navigator.usb.getDevices();
      if (!hid || !usb) throw new Error('There are no devices.');
      await hid.open();
      await usb.open();
      await usb.claimInterface(0);
      agent.silent = ['hid.receive_feature_report', 'usb.reset'];
      const failures = [
        failure(hid.receiveFeatureReport(1)),
        failure(usb.transferIn(2, 64)),
        failure(usb.reset()),
      ];
      await new Promise((done) => setTimeout(done, 0));
      agent.unplug(1);
      agent.unplug(3);
      const results = await Promise.all(failures);
      const after = [
        hid.opened,
        usb.opened,
        usb.configuration?.interfaces[0]?.claimed,
        await failure(hid.sendReport(1, new Uint8Array(1))),
        await failure(usb.open()),
        (await navigator.hid.getDevices()).length,
      ];
      // Closed by the agent only: it may be opened again.
      agent.plug({ ...scanner, device: 11 });
      const [second] = await navigator.hid.getDevices();
      await second?.open();
      agent.send({ event: 'closed', device: 11, reason: 'not allowed' });
      const closed = second?.opened;
      await second?.open();
      const again = second?.opened;
      // The answer to open, and the end of what it opened, in one turn.
      agent.plug({ ...printer, device: 13 });
      const [other] = await navigator.usb.getDevices();
      agent.silent = ['usb.open'];
      const opening = failure(other?.open() ?? Promise.resolve());
      await new Promise((done) => setTimeout(done, 0));
      const request = agent.requests.findLast(({ call }) => call === 'usb.open');
      agent.send({ id: request?.id ?? 0, result: {} });
      agent.send({ event: 'closed', device: 13, reason: 'broken' });
      const raced = [await opening, other?.opened];
      await second?.close();
      agent.silent = ['hid.open'];
      const openingHid = failure(second?.open() ?? Promise.resolve());
      await new Promise((done) => setTimeout(done, 0));
      agent.send({ id: agent.requests.at(-1)?.id ?? 0, result: {} });
      agent.send({ event: 'closed', device: 11, reason: 'broken' });
      raced.push(await openingHid, second?.opened);
      return { events, results, after, closed, again, raced };
    },
    { scanner: SCANNER, printer: PRINTER },
  );
  assert.deepEqual(seen, {
    events: [
      ['connect', 'Scanner'],
      ['connect', 'Printer'],
      ['disconnect', true],
      ['disconnect', 'usb'],
      ['connect', 'Scanner'],
      ['connect', 'Printer'],
    ],
    results: ['NotAllowedError', 'NotFoundError', 'NotFoundError'],
    after: [false, false, false, 'InvalidStateError', 'NotFoundError', 0],
    ...{ closed: false, again: true, raced: ['NotFoundError', false, 'NotAllowedError', false] },
  });
});
