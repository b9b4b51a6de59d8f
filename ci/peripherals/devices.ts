/** Peripherals of the tests. */
import type {
  PageHidDevice,
  PageSerialPort,
  PageUsbDevice,
} from '../../agent/src/resources/peripherals/page-protocol.ts';

const ITEM = {
  isAbsolute: true,
  isArray: false,
  isBufferedBytes: false,
  isConstant: false,
  isLinear: true,
  isRange: false,
  isVolatile: false,
  hasNull: false,
  hasPreferredState: true,
  wrap: false,
  usages: [0xff000001],
  reportSize: 8,
  reportCount: 4,
  unitExponent: 0,
  unitSystem: 'si-linear',
  unitFactorLengthExponent: 0,
  unitFactorMassExponent: 0,
  unitFactorTimeExponent: 0,
  unitFactorTemperatureExponent: 0,
  unitFactorCurrentExponent: 0,
  unitFactorLuminousIntensityExponent: 0,
  logicalMinimum: 0,
  logicalMaximum: 255,
  physicalMinimum: 0,
  physicalMaximum: 0,
  strings: [],
};

/** A HID device with two top-level collections. */
export const SCANNER: PageHidDevice = {
  kind: 'hid',
  device: 1,
  vendorId: 0x1234,
  productId: 0x5678,
  productName: 'Scanner',
  collections: [
    {
      usagePage: 0x8c,
      usage: 2,
      type: 1,
      children: [],
      inputReports: [{ reportId: 3, items: [ITEM] }],
      outputReports: [],
      featureReports: [],
    },
    {
      usagePage: 0xff00,
      usage: 1,
      type: 1,
      children: [],
      inputReports: [],
      outputReports: [],
      featureReports: [],
    },
  ],
};

export const PORT: PageSerialPort = { kind: 'serial', device: 2, usbVendorId: 0x0403, usbProductId: 0x6001 };

/** A USB device with a printer's interface, which has two alternate settings, and one of its maker. */
export const PRINTER: PageUsbDevice = {
  kind: 'usb',
  device: 3,
  vendorId: 0x04b8,
  productId: 0x0e15,
  usbVersion: 0x0210,
  deviceVersion: 0x0123,
  classCode: 0,
  subclass: 0,
  protocol: 0,
  manufacturerName: 'Maker',
  productName: 'Printer',
  serialNumber: 'A1',
  configuration: 1,
  configurations: [
    {
      value: 1,
      name: null,
      interfaces: [
        {
          number: 0,
          alternates: [
            {
              setting: 0,
              classCode: 7,
              subclass: 1,
              protocol: 2,
              name: 'print',
              endpoints: [
                { number: 1, direction: 'out', type: 'bulk', packetSize: 512 },
                { number: 2, direction: 'in', type: 'bulk', packetSize: 512 },
              ],
            },
            {
              setting: 1,
              classCode: 7,
              subclass: 1,
              protocol: 3,
              name: null,
              endpoints: [{ number: 3, direction: 'in', type: 'isochronous', packetSize: 64 }],
            },
          ],
        },
        {
          number: 1,
          alternates: [{ setting: 0, classCode: 255, subclass: 4, protocol: 5, name: null, endpoints: [] }],
        },
      ],
    },
    { value: 2, name: 'second', interfaces: [] },
  ],
};
