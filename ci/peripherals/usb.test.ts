/** Pages that use WebUSB as the specification says, with a device that echoes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PRINTER } from './devices.ts';
import { PeripheralStage } from './stage.ts';

let stage: PeripheralStage;
before(async () => {
  stage = await PeripheralStage.launch();
});
after(() => stage.close());

test('a USB device is configured, claimed and transfers; wrong order has the errors of the specification', async () => {
  const page = await stage.page(['usb']);
  const seen = await page.evaluate(async (printer) => {
    const { agent } = window;
    agent.devices = [printer];
    const errors: string[] = [];
    const fails = async (wanted: string, run: () => Promise<unknown>): Promise<void> => {
      const got = await run().then(
        () => 'none',
        (error: Error) => error.name,
      );
      if (got !== wanted) errors.push(`${run}: ${got}, not ${wanted}`);
    };
    const device = await navigator.usb.requestDevice({ filters: [{ vendorId: 0x04b8 }] });
    const { configuration, configurations } = device;
    const [first, second] = configuration?.interfaces ?? [];
    if (!configuration || !first || !second) throw new Error('The descriptors lack.');
    const version = [device.usbVersionMajor, device.usbVersionMinor, device.usbVersionSubminor];
    version.push(device.deviceVersionMajor, device.deviceVersionMinor, device.deviceVersionSubminor);
    const setup = { requestType: 'vendor', recipient: 'device', request: 1, value: 2, index: 0 } as const;
    const bytes = new Uint8Array([1, 2, 3]);

    await fails('InvalidStateError', () => device.claimInterface(0));
    await fails('InvalidStateError', () => device.controlTransferIn(setup, 8));
    await fails('InvalidStateError', () => device.reset());
    await device.open();
    await device.open();
    await fails('NotFoundError', () => device.claimInterface(5));
    await fails('NotFoundError', () => device.transferOut(1, bytes));
    await fails('NotFoundError', () => device.selectConfiguration(9));
    await fails('InvalidStateError', () => device.selectAlternateInterface(0, 1));
    const claiming = device.claimInterface(0);
    await Promise.all([
      fails('InvalidStateError', () => device.claimInterface(0)),
      fails('InvalidStateError', () => device.controlTransferIn(setup, 8)),
    ]);
    await claiming;
    await fails('InvalidStateError', () =>
      device.controlTransferOut({ ...setup, recipient: 'interface', index: 1 }),
    );
    await fails('NotFoundError', () =>
      device.controlTransferIn({ ...setup, recipient: 'endpoint', index: 1 | 0x80 }, 1),
    );
    await fails('IndexSizeError', () => device.transferIn(16, 1));
    await fails('IndexSizeError', () => device.clearHalt('in', 0));
    await fails('NotFoundError', () => device.clearHalt('in', 1));
    // @ts-expect-error: no such direction
    await fails('TypeError', () => device.clearHalt('up', 1));
    await fails('DataError', () => device.transferIn(2, 32 * 1024 * 1024 + 1));
    // @ts-expect-error: members lack
    await fails('TypeError', () => device.controlTransferIn({ requestType: 'vendor' }, 1));
    // @ts-expect-error: an argument lacks
    await fails('TypeError', () => device.transferIn(2));
    // In a page that is not isolated only WebAssembly has shared memory.
    const { buffer: shared } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    await fails('TypeError', () => device.transferOut(1, new Uint8Array(shared)));

    const control = await device.controlTransferIn({ ...setup, recipient: 'interface', index: 0 }, 8);
    const written = await device.controlTransferOut({ ...setup, recipient: 'endpoint', index: 1 }, bytes);
    const nothing = await device.controlTransferOut(setup);
    const out = await device.transferOut(1, bytes.subarray(1));
    const into = await device.transferIn(2, 64);
    await device.clearHalt('out', 1);
    await device.reset();
    const claimed = [first.claimed, second.claimed, first.alternate.alternateSetting];

    const selecting = device.selectAlternateInterface(0, 1);
    // Its endpoints cannot be used meanwhile.
    await fails('NotFoundError', () => device.transferIn(2, 1));
    await selecting;
    claimed.push(first.alternate.alternateSetting, first.alternate === first.alternates[1]);
    await fails('NotFoundError', () => device.transferIn(2, 1));
    await fails('NotFoundError', () => device.selectAlternateInterface(0, 2));
    await fails('NotSupportedError', () => device.isochronousTransferIn(3, [64]));
    await device.releaseInterface(0);
    claimed.push(first.claimed, first.alternate.alternateSetting);
    await device.claimInterface(0);
    await device.selectConfiguration(2);
    claimed.push(first.claimed, device.configuration === configurations[1]);
    await device.selectConfiguration(2);
    await fails('NotFoundError', () => device.claimInterface(0));
    await device.selectConfiguration(1);
    claimed.push(first.claimed);
    await device.close();
    await device.close();

    const make = (name: string, ...args: unknown[]): object =>
      Reflect.construct(Reflect.get(window, name), args);
    const made = make('USBConfiguration', device, 1);
    const endpoint = make(
      'USBEndpoint',
      make('USBAlternateInterface', make('USBInterface', made, 0), 0),
      2,
      'in',
    );
    await fails('RangeError', async () => make('USBConfiguration', device, 3));
    await fails('RangeError', async () => make('USBInterface', made, 2));
    await fails('RangeError', async () => make('USBEndpoint', first.alternates[0], 1, 'in'));
    await fails('TypeError', async () => make('USBConfiguration', {}, 1));
    await device.forget();
    return {
      ...{ errors, version, claimed, left: await navigator.usb.getDevices() },
      control: [control.status, new TextDecoder().decode(control.data)],
      ...{
        written: written.bytesWritten,
        nothing: nothing.bytesWritten,
        out: [out.status, out.bytesWritten],
      },
      into: [into.status, into.data instanceof DataView, into.data?.byteLength, into.data?.getUint8(1)],
      endpoint: ['endpointNumber', 'direction', 'type', 'packetSize'].map((name) =>
        Reflect.get(endpoint, name),
      ),
      calls: agent.requests.map(({ call }) => call.replace('usb.', '')),
    };
  }, PRINTER);
  assert.deepEqual(seen, {
    errors: [],
    version: [2, 1, 0, 1, 2, 3],
    claimed: [true, false, 0, 1, true, false, 0, false, true, false],
    left: [],
    ...{ control: ['ok', '8'], written: 3, nothing: 0, out: ['ok', 2], into: ['ok', true, 2, 3] },
    endpoint: [2, 'in', 'bulk', 512],
    calls: [
      ...['list', 'open', 'claim_interface', 'control_in', 'control_out', 'control_out'],
      ...['transfer_out', 'transfer_in', 'clear_halt', 'reset', 'select_alternate', 'release_interface'],
      ...['claim_interface', 'select_configuration', 'select_configuration', 'close', 'forget', 'list'],
    ],
  });
});

test('long USB transfers are sent in parts, which others of the endpoint do not come between', async () => {
  const page = await stage.page(['usb']);
  const seen = await page.evaluate(async (printer) => {
    const { agent } = window;
    agent.devices = [printer];
    const [device] = await navigator.usb.getDevices();
    if (!device) throw new Error('There is no device.');
    await device.open();
    await device.claimInterface(0);
    const long = new Uint8Array(600 * 1024).map((_, at) => at * 7 + (at >> 10));
    const [first, second] = await Promise.all([
      device.transferOut(1, long),
      device.transferOut(1, new Uint8Array(3)),
    ]);
    const lengths = agent.sent('usb.transfer_out').map((data) => Uint8Array.fromBase64(data).length);
    // The device gives 256 KiB twice, and 88 KiB, a short packet.
    const result = await device.transferIn(2, 1024 * 1024);
    const received = new Uint8Array(result.data?.buffer ?? new ArrayBuffer());
    const isSame = received.length === long.length && received.every((byte, at) => byte === long[at]);
    return { written: [first.bytesWritten, second.bytesWritten], lengths, isSame, status: result.status };
  }, PRINTER);
  const part = 256 * 1024;
  assert.deepEqual(seen, {
    written: [600 * 1024, 3],
    lengths: [part, part, 88 * 1024, 3],
    isSame: true,
    status: 'ok',
  });
});
