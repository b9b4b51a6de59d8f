import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createLogger } from '../../base/logger.ts';
import { withTimeout } from '../../base/timeout.ts';
import type { Peripheral } from '../../resources/peripherals/ports.ts';
import { BOOT_KEYBOARD, VENDOR } from '../../resources/peripherals/tests/report-descriptors.ts';
import { alternate, configuration, device } from '../../resources/peripherals/tests/usb-descriptors.ts';
import { SysfsInventory } from './inventory.ts';

const HOST = 'sys/devices/pci0/usb1';

let root: string;
let inventory: SysfsInventory;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vitrine-inventory-'));
  inventory = new SysfsInventory({ log: createLogger('silent'), root });
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

async function link(path: string, target: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await mkdir(join(root, target), { recursive: true });
  await symlink(relative(dirname(join(root, path)), join(root, target)), join(root, path));
}

/** A scale with a serial port (0, 1) and a vendor's interface (2), on a port of the first bus. */
async function plugScale(id = '1-1', files: Record<string, string | Uint8Array> = {}): Promise<string> {
  const descriptors = [
    device([0x1209, 0x0002], [0xef, 2, 1]),
    configuration(
      1,
      alternate([0, 0], [2, 2, 1]),
      alternate([1, 0], [10, 0, 0], [0x81, 2, 512], [0x01, 2, 512]),
      alternate([2, 0], [0xff, 1, 2]),
      alternate([2, 1], [0xff, 1, 2], [0x82, 2, 64]),
    ),
    configuration(2, alternate([0, 0], [0xff, 0, 0])),
  ].flat();
  const all = {
    descriptors: Uint8Array.from(descriptors),
    idVendor: '1209\n',
    idProduct: '0002\n',
    busnum: '1\n',
    devnum: '7\n',
    bConfigurationValue: '1\n',
    manufacturer: 'Acme\n',
    product: 'Scale\n',
    serial: 'SER123\n',
    configuration: 'Weighing\n',
    [`${id}:1.0/bAlternateSetting`]: ' 0\n',
    [`${id}:1.1/bAlternateSetting`]: ' 0\n',
    [`${id}:1.2/bAlternateSetting`]: ' 1\n',
    [`${id}:1.2/interface`]: 'Raw values\n',
    ...files,
  };
  const path = `${HOST}/${id}`;
  for (const [name, content] of Object.entries(all)) await put(`${path}/${name}`, content);
  await link(`sys/bus/usb/devices/${id}`, path);
  await link(`${path}/${id}:1.0/driver`, 'sys/bus/usb/drivers/cdc_acm');
  await link(`${path}/${id}:1.2/driver`, 'sys/bus/usb/drivers/usbfs');
  return path;
}

async function plugHid(id: string, path: string, uevent: string, descriptor: Uint8Array): Promise<void> {
  await put(`${path}/uevent`, uevent);
  await put(`${path}/report_descriptor`, descriptor);
  await link(`${path}/hidraw/${id}/device`, path);
  await link(`sys/class/hidraw/${id}`, `${path}/hidraw/${id}`);
}

const UEVENT = 'DRIVER=hid-generic\nHID_ID=0003:00001209:00000001\nHID_NAME=Acme Buttons\nHID_UNIQ=B7\n';

/** Without the instance. */
const known = ({ instance: _instance, ...rest }: Peripheral) => rest;
const ids = (list: readonly Peripheral[]) => list.map(({ id }) => id);

describe('the list', () => {
  test('a USB device with its serial port', async () => {
    const path = await plugScale();
    await link('sys/class/tty/ttyACM0', `${path}/1-1:1.0/tty/ttyACM0`);
    const [serial, usb, ...others] = await inventory.list();
    assert.deepEqual(others, []);
    assert.ok(serial && usb);
    const strings = { manufacturer: 'Acme', product: 'Scale', serialNumber: 'SER123', usbDevice: '1-1' };
    const common = { vendorId: 0x1209, productId: 0x0002, ...strings };
    assert.deepEqual(known(serial), { kind: 'serial', id: 'ttyACM0', node: '/dev/ttyACM0', ...common });
    assert.ok(usb.kind === 'usb');
    const { configurations, drivers, ...rest } = usb;
    assert.deepEqual(known({ ...rest, configurations: [], drivers: new Map() }), {
      kind: 'usb',
      id: '1-1',
      node: '/dev/bus/usb/001/007',
      ...common,
      usbVersion: 0x0210,
      deviceVersion: 0x0123,
      classCode: 0xef,
      subclass: 2,
      protocol: 1,
      configuration: 1,
      configurations: [],
      drivers: new Map(),
    });
    // An interface that a program has claimed has no driver.
    assert.deepEqual([...drivers], [[0, 'cdc_acm']]);
    const names = configurations.map(({ name, interfaces }) => [
      name,
      interfaces.map(({ alternates }) => alternates.map((one) => one.name)),
    ]);
    assert.deepEqual(names, [
      ['Weighing', [[null], [null], [null, 'Raw values']]],
      [null, [[null]]],
    ]);
  });

  test('HID devices on USB and not on USB', async () => {
    await plugScale('1-1.2');
    await plugHid('hidraw1', `${HOST}/1-1.2/1-1.2:1.3/0003:1209:0001.0004`, UEVENT, VENDOR);
    const remote = 'HID_ID=0005:0000046D:0000B016\nHID_NAME=Remote\nHID_UNIQ=\n';
    // A Bluetooth adapter on USB is not the device.
    await plugHid(
      'hidraw0',
      `${HOST}/1-4/1-4:1.0/bluetooth/hci0/hci0:11/0005:046D:B016.0005`,
      remote,
      BOOT_KEYBOARD,
    );
    const [first, second] = await inventory.list();
    assert.ok(first?.kind === 'hid' && second?.kind === 'hid');
    assert.deepEqual(known({ ...first, collections: [] }), {
      kind: 'hid',
      id: 'hidraw0',
      node: '/dev/hidraw0',
      vendorId: 0x046d,
      productId: 0xb016,
      manufacturer: null,
      product: 'Remote',
      serialNumber: null,
      usbDevice: null,
      collections: [],
    });
    assert.deepEqual(known({ ...second, collections: [] }), {
      kind: 'hid',
      id: 'hidraw1',
      node: '/dev/hidraw1',
      vendorId: 0x1209,
      productId: 0x0001,
      manufacturer: 'Acme',
      product: 'Acme Buttons',
      serialNumber: 'B7',
      usbDevice: '1-1.2',
      collections: [],
    });
    assert.deepEqual(
      [first, second].map(({ collections }) => collections[0]?.usage),
      [6, 1],
    );
  });

  test('a USB adapter with several serial ports, and no tty that is not on USB', async () => {
    const path = await plugScale();
    for (const name of ['ttyUSB10', 'ttyUSB2']) {
      await link(`sys/class/tty/${name}`, `${path}/1-1:1.0/${name}/tty/${name}`);
    }
    await link('sys/class/tty/ttyGS0', 'sys/devices/virtual/tty/ttyGS0');
    await link('sys/class/tty/ttyS0', 'sys/devices/platform/serial8250/tty/ttyS0');
    await link('sys/class/tty/rfcomm0', `${path}/1-1:1.0/bluetooth/hci0/hci0:12/tty/rfcomm0`);
    await link('sys/class/tty/ttyBT0', `${path}/1-1:1.0/bluetooth/hci0/hci0:12/tty/ttyBT0`);
    assert.deepEqual(ids(await inventory.list()), ['ttyUSB2', 'ttyUSB10', '1-1']);
  });

  test('no root hubs, and no interfaces', async () => {
    await plugScale();
    await plugScale('1-1.2.3');
    await plugScale('usb1');
    await link('sys/bus/usb/devices/1-1:1.0', `${HOST}/1-1/1-1:1.0`);
    assert.deepEqual(ids(await inventory.list()), ['1-1', '1-1.2.3']);
  });

  test('nothing in sysfs', async () => assert.deepEqual(await inventory.list(), []));

  test('a USB device that does not answer blocks one thread', async () => {
    const path = await plugScale();
    await link('sys/class/tty/ttyACM0', `${path}/1-1:1.0/tty/ttyACM0`);
    const locked = ['manufacturer', 'product', 'serial', 'configuration', 'bConfigurationValue'].map((name) =>
      join(root, path, name),
    );
    // Whoever opens a pipe for reading waits for its writer.
    for (const file of locked) {
      rmSync(file);
      execFileSync('mkfifo', [file]);
    }
    const listing = inventory.list();
    try {
      await withTimeout(readFile(join(root, path, 'idVendor')), 5000);
    } finally {
      const writers = locked.map((file) => openSync(file, 'r+'));
      for (const file of locked) rmSync(file);
      for (const writer of writers) closeSync(writer);
    }
    await listing;
  });

  test('at most 128', async () => {
    await Promise.all(
      Array.from({ length: 130 }, (_, at) =>
        plugHid(`hidraw${at + 1}`, `sys/devices/virtual/0003:1209:0001.${at + 1}`, UEVENT, VENDOR),
      ),
    );
    const list = await inventory.list();
    assert.equal(list.length, 128);
    assert.deepEqual(ids(list).slice(0, 3), ['hidraw1', 'hidraw2', 'hidraw3']);
  });

  test('a device that is reset stays the same', async () => {
    const instances = async () => (await inventory.list()).map(({ instance }) => instance);
    const path = await plugScale('1-1');
    const before = await instances();
    await writeFile(join(root, path, 'devnum'), '9\n');
    assert.deepEqual(await instances(), before);
  });

  test('the same device plugged in again is another instance', async () => {
    const instances = async () => (await inventory.list()).map(({ instance }) => instance);
    const plug = async (number: number) => {
      const path = await plugScale('1-1', { devnum: `${number}\n` });
      await link('sys/class/tty/ttyACM0', `${path}/1-1:1.0/tty/ttyACM0`);
      await plugHid('hidraw0', `${path}/1-1:1.3/0003:1209:0001.000${number}`, UEVENT, VENDOR);
    };
    await plug(7);
    const before = await instances();
    assert.equal(new Set(before).size, 3);
    assert.deepEqual(await instances(), before);
    // Unlike sysfs, this file system would use the numbers of its inodes again.
    await rename(join(root, 'sys'), join(root, 'before'));
    await plug(8);
    assert.equal(new Set([...before, ...(await instances())]).size, 6);
  });
});

describe('devices that cannot be read', () => {
  const broken: [string, Record<string, string | Uint8Array>][] = [
    ['no descriptors', { descriptors: '' }],
    ['descriptors of garbage', { descriptors: new Uint8Array(64).fill(0xff) }],
    ['endless descriptors', { descriptors: new Uint8Array(17 * 1024) }],
    ['no bus', { busnum: '' }],
    ['a device number that is none', { devnum: 'x\n' }],
    ['a device number that is too large', { devnum: '70000\n' }],
    ['a reset that does not end', { devnum: '0\n' }],
  ];
  for (const [what, files] of broken) {
    test(`a USB device with ${what} is left out`, async () => {
      await plugScale('1-1', files);
      await plugScale('1-2');
      assert.deepEqual(ids(await inventory.list()), ['1-2']);
    });
  }

  test('a USB device that is not configured', async () => {
    await plugScale('1-1', { bConfigurationValue: '\n' });
    const [usb] = await inventory.list();
    assert.ok(usb?.kind === 'usb');
    assert.equal(usb.configuration, null);
  });

  test('strings of garbage are well-formed and short', async () => {
    await plugScale('1-1', {
      product: Buffer.from([0xff, 0xfe, 0x41]),
      manufacturer: 'x'.repeat(4000),
      serial: '\n',
    });
    const [usb] = await inventory.list();
    assert.deepEqual(
      [usb?.product, usb?.manufacturer?.length, usb?.serialNumber],
      ['\ufffd\ufffdA', 128, null],
    );
  });

  test('HID: without its ids it is left out, without its descriptor it has no collections', async () => {
    const path = (number: number) => `sys/devices/virtual/0003:1209:0001.000${number}`;
    await plugHid('hidraw0', path(0), 'HID_NAME=x\n', VENDOR);
    await plugHid('hidraw1', path(1), UEVENT.replace('00001209', '1209'), VENDOR);
    await plugHid('hidraw2', path(2), UEVENT, new Uint8Array(20_000));
    await plugHid('hidraw3', path(3), UEVENT, VENDOR);
    await rm(join(root, path(3), 'report_descriptor'));
    await link('sys/class/hidraw/hidraw4', 'sys/devices/virtual/gone');
    await rm(join(root, 'sys/devices/virtual/gone'), { recursive: true });
    const list = await inventory.list();
    assert.deepEqual(ids(list), ['hidraw2', 'hidraw3']);
    for (const one of list) assert.ok(one.kind === 'hid' && one.collections.length === 0);
  });

  test('a serial port whose USB device is gone', async () => {
    const path = await plugScale();
    await link('sys/class/tty/ttyACM0', `${path}/1-1:1.0/tty/ttyACM0`);
    await rm(join(root, 'sys/bus/usb/devices/1-1'));
    assert.deepEqual(await inventory.list(), []);
  });

  test('devices that are unplugged while they are read', async () => {
    for (let round = 0; round < 20; round++) {
      const path = await plugScale();
      await link('sys/class/tty/ttyACM0', `${path}/1-1:1.0/tty/ttyACM0`);
      await plugHid('hidraw0', `${path}/1-1:1.3/0003:1209:0001.0001`, UEVENT, VENDOR);
      const [list] = await Promise.all([
        inventory.list(),
        rm(join(root, 'sys'), { recursive: true, force: true }),
      ]);
      assert.ok(list.length <= 3);
    }
  });
});

describe('the gadget', () => {
  const folder = 'sys/kernel/config/usb_gadget/vitrine';
  const describeGadget = async (controller: string, serialNumber: string) => {
    await put(`${folder}/UDC`, `${controller}\n`);
    await put(`${folder}/idVendor`, '0x1d6b\n');
    await put(`${folder}/idProduct`, '0x0104\n');
    await put(`${folder}/strings/0x409/serialnumber`, `${serialNumber}\n`);
  };

  test('its identity, while it is connected to a controller', async () => {
    assert.equal(await inventory.gadget(), undefined);
    await describeGadget('', 'V1');
    assert.equal(await inventory.gadget(), undefined);
    await describeGadget('fe980000.usb', 'V1');
    assert.deepEqual(await inventory.gadget(), { vendorId: 0x1d6b, productId: 0x0104, serialNumber: 'V1' });
    await describeGadget('fe980000.usb', '');
    assert.deepEqual(await inventory.gadget(), { vendorId: 0x1d6b, productId: 0x0104, serialNumber: null });
  });
});
