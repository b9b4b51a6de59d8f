/** Examples of the peripherals that pages may use. */
import type { Json } from '../json.ts';
import type { OperationExamples } from './example.ts';

const origin = 'https://kiosk.example';
const scanner = {
  ...{ usb_device: '1-1.2', vendor_id: 0x0c2e, product_id: 0x0b61 },
  ...{ manufacturer: 'Honeywell', product: 'Voyager 1450g', serial_number: '18071B24F3' },
};

/** A barcode scanner that the displayed page has open, and the same scanner as a USB device. */
export const peripheralsState: Json = {
  host_port: true,
  page_origin: origin,
  peripherals: [
    {
      ...{ id: 'hidraw0', kind: 'hid', ...scanner, usages: [{ usage_page: 0x8c, usage: 2 }] },
      ...{ state: 'allowed', reason: null, rule: 0, suggestion: null },
      ...{ origins: [origin], open_by: origin },
    },
    {
      ...{ id: '1-1.2', kind: 'usb', ...scanner },
      class: { class_code: 0, subclass: 0, protocol: 0 },
      interfaces: [{ number: 0, class_code: 3, subclass: 0, protocol: 0, driver: 'usbhid' }],
      state: 'protected',
      reason: 'All of its interfaces belong to classes that WebUSB protects.',
      ...{ rule: null, suggestion: null, origins: [], open_by: null },
    },
  ],
};

export const peripherals: OperationExamples = { getPeripherals: { response: peripheralsState } };
