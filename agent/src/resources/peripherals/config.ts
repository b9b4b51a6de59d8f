/** Configuration group `devices`: peripherals that the displayed page may use. */
import * as Type from 'typebox';
import { Origin, originRules } from '../config/field-types.ts';
import { live, section } from '../config/fields.ts';
import { type BrokenRule, configGroup } from '../config/group.ts';

const id16 = () => Type.Integer({ minimum: 0, maximum: 0xffff });
const id8 = () => Type.Integer({ minimum: 0, maximum: 0xff });

export const HidFilter = section('HidFilter', {
  vendorId: id16(),
  productId: id16(),
  usagePage: Type.Optional(id16()),
  usage: Type.Optional(id16()),
});
export const SerialFilter = section('SerialFilter', { usbVendorId: id16(), usbProductId: id16() });
export const UsbFilter = section('UsbFilter', {
  vendorId: id16(),
  productId: id16(),
  classCode: Type.Optional(id8()),
  subclass: Type.Optional(id8()),
  protocol: Type.Optional(id8()),
  serialNumber: Type.Optional(Type.String({ minLength: 1, maxLength: 126 })),
});

/** A usage means nothing without its page: such an entry would never match. The same applies to the codes of USB classes. */
function neededField<F extends string>(
  [list, index]: [list: string, index: number],
  entry: { [field in F]?: unknown },
  field: F,
  needed: F,
): BrokenRule[] {
  if (entry[field] === undefined || entry[needed] !== undefined) return [];
  return [{ path: `${list}/${index}/${field}`, message: `needs ${needed}`, reset: list }];
}

export const peripheralsConfig = configGroup(
  'devices',
  'DevicesConfig',
  {
    origins: live.list(Origin, 64, { description: 'Pages that may reach devices at all' }),
    hid: section('HidConfig', { enabled: live.bool(false), allow: live.list(HidFilter, 64) }),
    serial: section('SerialConfig', { enabled: live.bool(false), allow: live.list(SerialFilter, 64) }),
    usb: section('UsbConfig', {
      enabled: live.bool(false),
      allow_driver_detach: live.bool(false, {
        description: 'A kernel driver may be detached, never HID, mass storage or the gadget',
      }),
      allow: live.list(UsbFilter, 64),
    }),
  },
  {
    description:
      'Which peripherals at the USB host ports of the board the displayed page may reach: those that match an entry of ' +
      '`allow` of an enabled kind, if the page is one of `origins`. GET /device/peripherals says what this allows, and ' +
      'has the entry for each device. What a change no longer allows is closed at once',
    rules: ({ origins, hid, usb }) => [
      ...originRules('/origins', origins),
      ...hid.allow.flatMap((entry, index) => neededField(['/hid/allow', index], entry, 'usage', 'usagePage')),
      ...usb.allow.flatMap((entry, index) => [
        ...neededField(['/usb/allow', index], entry, 'subclass', 'classCode'),
        ...neededField(['/usb/allow', index], entry, 'protocol', 'subclass'),
      ]),
    ],
  },
);
