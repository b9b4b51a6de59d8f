import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDefaults } from '../../../../agent/src/resources/config/tree.ts';
import { configuration } from '../../../../agent/src/resources/contract.ts';
import { describe } from '../../../../agent/src/resources/peripherals/status.ts';
import type { Peripheral } from '../../../../client/peripheral-permissions.ts';
import { ADAPTER, PRINTER, SCANNER } from '../../../../testing/peripheral-samples.ts';
import { devicesOf, driversOf, usagesOf } from './devices.ts';
import { alsoMatched, effectOfAllowing } from './effects.ts';

const PAGE = 'https://kiosk.example';
const OTHER = 'https://other.example';
const SCANNER_ENTRY = { vendorId: 0x0c2e, productId: 0x0b61 };
const ADAPTER_ENTRY = { usbVendorId: 0x0403, usbProductId: 0x6001 };
const SECOND_SCANNER = { ...SCANNER, id: 'hidraw1', instance: '9', usbDevice: '1-1.5' };
const PLUGGED = [SCANNER, ADAPTER, PRINTER, SECOND_SCANNER];

function situation(devices: object) {
  const config: unknown = withDefaults(configuration.Config, JSON.parse(JSON.stringify({ devices })));
  const state = describe({
    ...{ policy: Object(config).devices, gadget: undefined, peripherals: PLUGGED, opened: new Map() },
    ...{ pageOrigin: PAGE, hostPort: true },
  });
  const of = (id: string): Peripheral => state.peripherals.find((one) => one.id === id) ?? assert.fail(id);
  const effect = (id: string) => {
    const { others, ...rest } = effectOfAllowing(config, state, of(id), PAGE);
    return { ...rest, others: others.map((one) => one.id) };
  };
  return { state, of, effect };
}

test('peripherals of one USB device are together, and devices that no page gets are last', () => {
  const { of } = situation({});
  const printer = of('1-1.4');
  const hub: Peripheral = { ...printer, id: '1-1', usb_device: '1-1', state: 'protected', product: ' ' };
  const radio: Peripheral = { ...of('hidraw0'), id: 'hidraw5', usb_device: null, product: null };
  const scannerDevice: Peripheral = { ...printer, id: '1-1.2', usb_device: '1-1.2', product: null };
  const devices = devicesOf([hub, scannerDevice, of('hidraw0'), radio, printer]);
  assert.deepEqual(
    devices.map(({ id, name, ids, parts }) => [id, name, ids, parts.map((part) => part.id)]),
    [
      ['1-1.2', 'Voyager 1450g', '0C2E:0B61', ['hidraw0', '1-1.2']],
      ['hidraw5', 'Honeywell', '0C2E:0B61', ['hidraw5']],
      ['1-1.4', 'TM-T20II', '04B8:0E15', ['1-1.4']],
      ['1-1', 'EPSON', '04B8:0E15', ['1-1']],
    ],
  );
  assert.deepEqual([usagesOf(of('hidraw0')), driversOf(printer)], [['008C:0002'], ['usblp']]);
  const nameless = { ...printer, product: null, manufacturer: null, vendor_id: null };
  const [device] = devicesOf([nameless]);
  assert.deepEqual([device?.name, device?.ids], [undefined, undefined]);
});

test('the first device that is allowed allows only that type', () => {
  const { effect } = situation({});
  assert.deepEqual(effect('1-1.4'), { otherOrigins: [], others: [], unusedEntries: 0 });
  assert.deepEqual(effect('hidraw0').others, ['hidraw1'], 'the same type is plugged in twice');
});

test('a new page gets what is allowed already, of kinds that are on', () => {
  const allow = { hid: { enabled: true, allow: [SCANNER_ENTRY, { vendorId: 1, productId: 1 }] } };
  const off = { serial: { enabled: false, allow: [ADAPTER_ENTRY] } };
  const { effect } = situation({ origins: [OTHER], ...allow, ...off });
  assert.deepEqual(effect('1-1.4'), {
    otherOrigins: [OTHER],
    others: ['hidraw0', 'hidraw1'],
    unusedEntries: 1,
  });
  const listed = situation({ origins: [OTHER, PAGE], ...allow, ...off });
  assert.deepEqual(listed.effect('1-1.4'), { otherOrigins: [OTHER], others: [], unusedEntries: 0 });
});

test('a kind that is switched on brings its other entries into effect', () => {
  const { effect } = situation({
    origins: [PAGE],
    serial: { enabled: false, allow: [{ usbVendorId: 1, usbProductId: 1 }, ADAPTER_ENTRY] },
  });
  assert.deepEqual(effect('ttyUSB0'), { otherOrigins: [], others: [], unusedEntries: 1 });
});

test('an entry that is removed ends what else it matches', () => {
  const { state, of } = situation({ hid: { allow: [SCANNER_ENTRY] }, serial: { allow: [ADAPTER_ENTRY] } });
  const also = (id: string) => alsoMatched(state, of(id)).map((one) => one.id);
  assert.deepEqual([also('hidraw0'), also('ttyUSB0'), also('1-1.4')], [['hidraw1'], [], []]);
});
