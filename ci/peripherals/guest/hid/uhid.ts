/** The events of /dev/uhid (Linux, include/uapi/linux/uhid.h; Documentation/hid/uhid.rst). All are packed, in the machine's order. */

const DESTROY = 1;
const OUTPUT = 6;
const GET_REPORT = 9;
const GET_REPORT_REPLY = 10;
const CREATE2 = 11;
const INPUT2 = 12;
const SET_REPORT = 13;
const SET_REPORT_REPLY = 14;
const DATA_BYTES = 4096;
/** Enough for the largest event. */
export const EVENT_BYTES = 4380;
const BUS_USB = 3;
const EIO = 5;

export interface UhidIdentity {
  name: string;
  vendor: number;
  product: number;
  serialNumber: string;
}

/** What the kernel asks of a device. Reports begin with their id, which is 0 if the device has none. */
export type UhidRequest =
  | { kind: 'output'; report: Buffer }
  | { kind: 'get_report'; id: number; reportId: number }
  | { kind: 'set_report'; id: number; report: Buffer }
  | { kind: 'other' };

export function createEvent(
  { name, vendor, product, serialNumber }: UhidIdentity,
  descriptor: Buffer,
): Buffer {
  const event = Buffer.alloc(280);
  event.writeUInt32LE(CREATE2, 0);
  event.write(name.slice(0, 127), 4);
  event.write('lab/input0', 132);
  event.write(serialNumber.slice(0, 63), 196);
  event.writeUInt16LE(descriptor.length, 260);
  event.writeUInt16LE(BUS_USB, 262);
  event.writeUInt32LE(vendor, 264);
  event.writeUInt32LE(product, 268);
  return Buffer.concat([event, descriptor]);
}

export function destroyEvent(): Buffer {
  const event = Buffer.alloc(4);
  event.writeUInt32LE(DESTROY, 0);
  return event;
}

/** @param report begins with its id only if the device's reports have ids */
export function inputEvent(report: Buffer): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt32LE(INPUT2, 0);
  head.writeUInt16LE(report.length, 4);
  return Buffer.concat([head, report]);
}

/** Answers a request for a feature report. @param report begins with its id, also with 0; undefined: there is none */
export function getReportReply(id: number, report: Buffer | undefined): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(GET_REPORT_REPLY, 0);
  head.writeUInt32LE(id, 4);
  head.writeUInt16LE(report ? 0 : EIO, 8);
  head.writeUInt16LE(report?.length ?? 0, 10);
  return Buffer.concat([head, report ?? Buffer.alloc(0)]);
}

export function setReportReply(id: number, isTaken: boolean): Buffer {
  const event = Buffer.alloc(10);
  event.writeUInt32LE(SET_REPORT_REPLY, 0);
  event.writeUInt32LE(id, 4);
  event.writeUInt16LE(isTaken ? 0 : EIO, 8);
  return event;
}

export function readRequest(event: Buffer): UhidRequest {
  switch (event.readUInt32LE(0)) {
    case OUTPUT:
      return {
        kind: 'output',
        report: Buffer.from(event.subarray(4, 4 + event.readUInt16LE(4 + DATA_BYTES))),
      };
    case GET_REPORT:
      return { kind: 'get_report', id: event.readUInt32LE(4), reportId: event.readUInt8(8) };
    case SET_REPORT:
      return {
        kind: 'set_report',
        id: event.readUInt32LE(4),
        report: Buffer.from(event.subarray(12, 12 + event.readUInt16LE(10))),
      };
    default:
      return { kind: 'other' };
  }
}
