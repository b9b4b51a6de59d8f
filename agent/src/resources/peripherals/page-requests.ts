import * as Type from 'typebox';
import { type Validator, validator } from '../../validation/validator.ts';
import { MAX_APDU_BYTES, MAX_MESSAGE_BYTES } from '../nfc/limits.ts';
import type { CallName, Request } from './page-protocol.ts';

/** Longest transfer of a page, in bytes: what one message holds in base64. */
const MAX_TRANSFER_BYTES = 512 * 1024;
/** The driver of a serial port takes no more at a time. */
const MAX_SERIAL_BYTES = 64 * 1024;

const Count = Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1 });
const Byte = Type.Integer({ minimum: 0, maximum: 0xff });
const MAX_WORD = 0xffff;
const Word = Type.Integer({ minimum: 0, maximum: MAX_WORD });
const Endpoint = Type.Integer({ minimum: 1, maximum: 15 });
const Direction = Type.Enum(['in', 'out']);
const Base64 = (maxBytes: number) =>
  Type.String({
    maxLength: Math.ceil(maxBytes / 3) * 4,
    pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  });

const device = { device: Count };
const report = { ...device, report_id: Byte };
const Setup = Type.Object({
  requestType: Type.Enum(['standard', 'class', 'vendor']),
  recipient: Type.Enum(['device', 'interface', 'endpoint', 'other']),
  request: Byte,
  value: Word,
  index: Word,
});
const usbInterface = { ...device, interface: Byte };

/** The fields of each call besides `id` and `call` (page-protocol.ts). */
const FIELDS = {
  list: { kind: Type.Enum(['hid', 'serial', 'usb']) },
  forget: device,
  'hid.open': device,
  'hid.close': device,
  'hid.send_report': { ...report, data: Base64(MAX_WORD) },
  'hid.send_feature_report': { ...report, data: Base64(MAX_WORD) },
  'hid.receive_feature_report': report,
  'serial.open': {
    ...device,
    options: Type.Object({
      baudRate: Type.Integer({ minimum: 1, maximum: 8_000_000 }),
      dataBits: Type.Enum([7, 8]),
      stopBits: Type.Enum([1, 2]),
      parity: Type.Enum(['none', 'even', 'odd']),
      flowControl: Type.Enum(['none', 'hardware']),
    }),
  },
  'serial.close': device,
  'serial.write': { ...device, data: Base64(MAX_SERIAL_BYTES) },
  'serial.drain': device,
  'serial.flush': { ...device, direction: Direction },
  'serial.credit': { ...device, bytes: Type.Integer({ minimum: 1, maximum: 16 * 1024 * 1024 }) },
  'serial.set_signals': {
    ...device,
    dataTerminalReady: Type.Optional(Type.Boolean()),
    requestToSend: Type.Optional(Type.Boolean()),
    break: Type.Optional(Type.Boolean()),
  },
  'serial.get_signals': device,
  'usb.open': device,
  'usb.close': device,
  'usb.select_configuration': { ...device, value: Byte },
  'usb.claim_interface': usbInterface,
  'usb.release_interface': usbInterface,
  'usb.select_alternate': { ...usbInterface, alternate: Byte },
  'usb.control_in': { ...device, setup: Setup, length: Word },
  'usb.control_out': { ...device, setup: Setup, data: Base64(MAX_WORD) },
  'usb.transfer_in': {
    ...device,
    endpoint: Endpoint,
    length: Type.Integer({ minimum: 0, maximum: MAX_TRANSFER_BYTES }),
  },
  'usb.transfer_out': { ...device, endpoint: Endpoint, data: Base64(MAX_TRANSFER_BYTES) },
  'usb.clear_halt': { ...device, direction: Direction, endpoint: Endpoint },
  'usb.reset': device,
  'nfc.scan': {},
  'nfc.stop': {},
  'nfc.write': { message: Base64(MAX_MESSAGE_BYTES), overwrite: Type.Boolean() },
  'nfc.abort_write': {},
  'nfc.transceive': { apdu: Base64(MAX_APDU_BYTES) },
} satisfies Record<CallName, Record<string, unknown>>;

const Head = validator(Type.Object({ id: Count, call: Type.String({ maxLength: 50 }) }));
const validators: ReadonlyMap<string, Validator> = new Map(
  Object.entries(FIELDS).map(([call, fields]) => [
    call,
    validator(Type.Object({ id: Count, call: Type.Literal(call), ...fields })),
  ]),
);

/**
 * Reads a page's message.
 * @returns a request; the id of one that is malformed; undefined for what is none, which cannot be answered
 */
export function readRequest(data: string): { request: Request } | { malformed: number } | undefined {
  const message = parse(data);
  if (!Head.fits(message)) return undefined;
  const { id, call } = message;
  return isRequest(message, validators.get(call)) ? { request: message } : { malformed: id };
}

function isRequest(message: object, fields: Validator | undefined): message is Request {
  return fields?.fits(message) ?? false;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
