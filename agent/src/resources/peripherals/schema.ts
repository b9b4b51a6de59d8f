import type { Static } from 'typebox';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { Nullable } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';
import { HidFilter, SerialFilter, UsbFilter } from './config.ts';

const Id16 = Type.Integer({ minimum: 0, maximum: 0xffff });
const Id8 = Type.Integer({ minimum: 0, maximum: 0xff });
const Text = (description: string) => Nullable(Type.String({ description }));
const Entry = Type.Union([HidFilter, SerialFilter, UsbFilter]);

/** An interface to something that is plugged into a USB host port of the board, or a Bluetooth HID device. */
export const Peripheral = Type.Object(
  {
    id: Type.String({
      description: "The kernel's name: a hidraw node, a tty, or the port of a USB device",
      examples: ['hidraw0', 'ttyACM0', '1-1.2'],
    }),
    kind: Type.Enum(['hid', 'serial', 'usb'], {
      description:
        'What a page would use: WebHID, Web Serial or WebUSB. A USB device is one peripheral by itself, and one more for ' +
        'each of its HID interfaces and serial ports',
    }),
    usb_device: Text('`id` of the USB device that it belongs to; null if it is not on USB'),
    vendor_id: Nullable(Id16),
    product_id: Nullable(Id16),
    manufacturer: Text('As the device says'),
    product: Text('As the device says'),
    serial_number: Text('As the device says'),
    usages: Type.Optional(
      Type.Array(Type.Object({ usage_page: Id16, usage: Id16 }), {
        description: 'Top-level collections of a HID device',
      }),
    ),
    class: Type.Optional(
      Type.Object(
        { class_code: Id8, subclass: Id8, protocol: Id8 },
        { description: 'Of a USB device; 0: each interface has its own' },
      ),
    ),
    interfaces: Type.Optional(
      Type.Array(
        Type.Object({
          number: Id8,
          class_code: Id8,
          subclass: Id8,
          protocol: Id8,
          driver: Text('Kernel driver that uses it; null if none does'),
        }),
        { description: 'Of a USB device, in its active configuration' },
      ),
    ),
    state: Type.Enum(['allowed', 'disabled', 'not_allowed', 'protected'], {
      description:
        '`allowed`: pages of `origins` may use it. `disabled`: an entry matches, but the kind is not enabled, there is no ' +
        'origin, or the board has no host port. `not_allowed`: no entry matches. `protected`: no page gets it, whatever is configured',
    }),
    reason: Text('Why pages may not use it, as a sentence; null if they may'),
    rule: Nullable(
      Type.Integer({
        minimum: 0,
        description: 'Index of the first entry in `devices.<kind>.allow` that matches',
      }),
    ),
    suggestion: Type.Union([...Entry.anyOf, Type.Null()], {
      description:
        'Entry for `devices.<kind>.allow` that would allow it; null if one matches or nothing can allow it',
    }),
    origins: Type.Array(Type.String(), { description: 'Pages that may use it now' }),
    open_by: Text('Origin of the page that has it open now; null if none has'),
  },
  { $id: 'Peripheral' },
);
export type Peripheral = Static<typeof Peripheral>;

export const Peripherals = Type.Object(
  {
    host_port: Type.Boolean({
      description:
        'Whether the board has a USB host port; without one only Bluetooth HID devices can be listed',
    }),
    page_origin: Text('Origin of the displayed page, for `devices.origins`; null for the waiting page'),
    peripherals: Type.Array(Peripheral, { maxItems: 128, description: 'By kind, then by id' }),
  },
  { $id: 'Peripherals' },
);
export type Peripherals = Static<typeof Peripherals>;

export const peripheralsChanged = topic(
  'peripherals_changed',
  Peripherals,
  'Something was plugged in or unplugged, a page has opened or closed a peripheral, another page is displayed, or the ' +
    'rules have changed; the complete state, at most 4 times a second',
  { isState: true },
);

export const getPeripherals = endpoint({
  method: 'GET',
  path: '/device/peripherals',
  tag: 'Device',
  status: 200,
  summary: 'Peripherals that pages may use',
  description:
    'What is plugged in, which pages may use it by which entry of the configuration group `devices`, which page has it ' +
    'open, and for what no entry matches the entry that would. An empty list on a system that is not the appliance.',
  response: Peripherals,
  errors: [],
});
