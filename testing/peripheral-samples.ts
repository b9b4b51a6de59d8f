/** Peripherals as an inventory lists them: a barcode scanner, a serial adapter and a printer. */
import type {
  HidPeripheral,
  SerialPeripheral,
  UsbPeripheral,
} from '../agent/src/resources/peripherals/ports.ts';

export const SCANNER: HidPeripheral = {
  ...{ kind: 'hid', id: 'hidraw0', instance: '1', node: '/dev/hidraw0', usbDevice: '1-1.2' },
  ...{ vendorId: 0x0c2e, productId: 0x0b61 },
  ...{ manufacturer: 'Honeywell', product: 'Voyager 1450g', serialNumber: '18071B24F3' },
  collections: [
    {
      ...{ usagePage: 0x8c, usage: 2, type: 1 },
      ...{ children: [], inputReports: [], outputReports: [], featureReports: [] },
    },
  ],
};

export const ADAPTER: SerialPeripheral = {
  ...{ kind: 'serial', id: 'ttyUSB0', instance: '2', node: '/dev/ttyUSB0', usbDevice: '1-1.3' },
  ...{ vendorId: 0x0403, productId: 0x6001 },
  ...{ manufacturer: 'FTDI', product: 'FT232R USB UART', serialNumber: null },
};

/** Its only interface has two alternates, and is bound to a driver. */
export const PRINTER: UsbPeripheral = {
  ...{ kind: 'usb', id: '1-1.4', instance: '3', node: '/dev/bus/usb/001/006', usbDevice: '1-1.4' },
  ...{ vendorId: 0x04b8, productId: 0x0e15 },
  ...{ manufacturer: 'EPSON', product: 'TM-T20II', serialNumber: 'J3K1' },
  ...{ usbVersion: 0x0200, deviceVersion: 0x0100, classCode: 0, subclass: 0, protocol: 0 },
  configuration: 1,
  configurations: [
    {
      ...{ value: 1, name: null },
      interfaces: [
        {
          number: 0,
          alternates: [
            { setting: 1, classCode: 7, subclass: 1, protocol: 4, name: null, endpoints: [] },
            { setting: 0, classCode: 7, subclass: 1, protocol: 2, name: null, endpoints: [] },
          ],
        },
      ],
    },
  ],
  drivers: new Map([[0, 'usblp']]),
};
