/**
 * The messages between the shims in a page (`agent/page/peripherals/`) and the agent, as JSON on the page's channel for
 * peripherals. Types only: the agent validates what the page sends (`page-requests.ts`).
 *
 * The page sends requests, `{"id":1,"call":"hid.open",…}`, each of which gets one answer with the same id. The agent
 * sends events without an id. Bytes are base64.
 */
import type { HidCollection } from './hid-collections.ts';
import type { UsbConfiguration } from './usb-descriptors.ts';

/** Interfaces that a page may get; those that it gets are in the list `vitrineInterfaces` of its script. */
export type Interface = 'hid' | 'serial' | 'usb' | 'nfc';

/** A peripheral that the page may open. `device` is a number of this document, never used for another one. */
export interface PageHidDevice {
  kind: 'hid';
  device: number;
  vendorId: number;
  productId: number;
  productName: string;
  /** Without those that are protected. */
  collections: readonly HidCollection[];
}
export interface PageSerialPort {
  kind: 'serial';
  device: number;
  usbVendorId?: number;
  usbProductId?: number;
}
export interface PageUsbDevice {
  kind: 'usb';
  device: number;
  vendorId: number;
  productId: number;
  usbVersion: number;
  deviceVersion: number;
  classCode: number;
  subclass: number;
  protocol: number;
  manufacturerName: string | null;
  productName: string | null;
  serialNumber: string | null;
  configuration: number | null;
  configurations: readonly UsbConfiguration[];
}
export type PageDevice = PageHidDevice | PageSerialPort | PageUsbDevice;

/** Fields and result of each call. A call fails with the name of a DOMException or `TypeError`, and a sentence. */
export interface Calls {
  /** What is allowed and plugged in. From now on the page gets `connect` and `disconnect` of this kind. */
  list: [{ kind: 'hid' | 'serial' | 'usb' }, { devices: PageDevice[] }];
  /** The document gives a peripheral up: it is closed, and not listed again. */
  forget: [{ device: number }, object];

  'hid.open': [{ device: number }, object];
  'hid.close': [{ device: number }, object];
  'hid.send_report': [{ device: number; report_id: number; data: string }, object];
  'hid.send_feature_report': [{ device: number; report_id: number; data: string }, object];
  /** The report without its id. */
  'hid.receive_feature_report': [{ device: number; report_id: number }, { data: string }];

  'serial.open': [
    {
      device: number;
      options: {
        baudRate: number;
        dataBits: 7 | 8;
        stopBits: 1 | 2;
        parity: 'none' | 'even' | 'odd';
        flowControl: 'none' | 'hardware';
      };
    },
    object,
  ];
  'serial.close': [{ device: number }, object];
  /** At most 64 KiB; answered when the driver has taken them. */
  'serial.write': [{ device: number; data: string }, object];
  /** Waits until everything written has been sent. */
  'serial.drain': [{ device: number }, object];
  /** Throws away what was received, or what was written and not sent. */
  'serial.flush': [{ device: number; direction: 'in' | 'out' }, object];
  /** The page takes so many bytes more: events `serial.data` have at most as many. */
  'serial.credit': [{ device: number; bytes: number }, object];
  'serial.set_signals': [
    { device: number; dataTerminalReady?: boolean; requestToSend?: boolean; break?: boolean },
    object,
  ];
  'serial.get_signals': [
    { device: number },
    { dataCarrierDetect: boolean; clearToSend: boolean; ringIndicator: boolean; dataSetReady: boolean },
  ];

  'usb.open': [{ device: number }, object];
  'usb.close': [{ device: number }, object];
  'usb.select_configuration': [{ device: number; value: number }, object];
  'usb.claim_interface': [{ device: number; interface: number }, object];
  'usb.release_interface': [{ device: number; interface: number }, object];
  'usb.select_alternate': [{ device: number; interface: number; alternate: number }, object];
  'usb.control_in': [
    { device: number; setup: UsbSetup; length: number },
    { status: UsbStatus; data: string },
  ];
  'usb.control_out': [
    { device: number; setup: UsbSetup; data: string },
    { status: UsbStatus; bytes_written: number },
  ];
  /** @see {@link Calls['usb.transfer_out']} */
  'usb.transfer_in': [
    { device: number; endpoint: number; length: number },
    { status: UsbStatus; data: string },
  ];
  /** Bulk or interrupt. `endpoint` is a number from 1 to 15. */
  'usb.transfer_out': [
    { device: number; endpoint: number; data: string },
    { status: UsbStatus; bytes_written: number },
  ];
  'usb.clear_halt': [{ device: number; direction: 'in' | 'out'; endpoint: number }, object];
  'usb.reset': [{ device: number }, object];

  /** Tags are reported by the event `nfc.reading` until `nfc.stop`. */
  'nfc.scan': [object, object];
  'nfc.stop': [object, object];
  /**
   * Writes a message to the tag in a field, or to the next one that comes. `message` is an NDEF message.
   * @throws NotAllowedError for a tag that has a message, if not `overwrite`; AbortError after `nfc.abort_write`
   */
  'nfc.write': [{ message: string; overwrite: boolean }, object];
  'nfc.abort_write': [object, object];
  /** Exchanges one APDU with the tag in a field. `response` has the status word at its end. */
  'nfc.transceive': [{ apdu: string }, { response: string }];
}

export interface UsbSetup {
  requestType: 'standard' | 'class' | 'vendor';
  recipient: 'device' | 'interface' | 'endpoint' | 'other';
  request: number;
  value: number;
  index: number;
}
export type UsbStatus = 'ok' | 'stall' | 'babble';

export type CallName = keyof Calls;
export type Request = { [C in CallName]: { id: number; call: C } & Calls[C][0] }[CallName];
export type Answer =
  | { id: number; result: object }
  | { id: number; error: { name: string; message: string } };

export type PageEvent =
  | { event: 'connect' | 'disconnect'; device: PageDevice }
  /** It was closed, but not by the page: unplugged, not allowed any more, or broken. A `disconnect` may follow. */
  | { event: 'closed'; device: number; reason: string }
  | { event: 'hid.input'; device: number; report_id: number; data: string }
  | { event: 'serial.data'; device: number; data: string }
  | { event: 'serial.error'; device: number; name: string }
  /** `message`: the NDEF message; empty for a tag without one. */
  | { event: 'nfc.reading'; serial_number: string; message: string }
  | { event: 'nfc.reading_error' };
