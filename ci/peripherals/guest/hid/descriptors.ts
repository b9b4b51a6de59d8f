/** Report descriptors (HID 1.11, 6.2.2) of the lab's devices. */

/** What a model must know of its reports. All lengths are in bytes, without the report id. */
export interface HidShape {
  descriptor: Buffer;
  /** Its reports begin with their id. */
  hasIds: boolean;
  /** Content of the feature reports at the beginning, by report id (0: without ids). */
  features: ReadonlyMap<number, Buffer>;
}

const BYTES = [0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08];
const INPUT = 0x81;
const OUTPUT = 0x91;
const FEATURE = 0xb1;
const VARIABLE = 0x02;
const END = 0xc0;

const usagePage = (page: number): number[] => [0x06, page & 0xff, page >> 8];
const usageOf = (usage: number): number[] => [0x09, usage];
const application = (page: number, usage: number): number[] => [
  ...usagePage(page),
  ...usageOf(usage),
  0xa1,
  0x01,
];
const reportId = (id: number): number[] => (id === 0 ? [] : [0x85, id]);
const bytes = (count: number, usage: number, item: number): number[] => [
  0x95,
  count,
  ...usageOf(usage),
  item,
  VARIABLE,
];

/** A collection with an input and an output report of as many bytes, and a feature report of 4 bytes. */
function echoCollection(page: number, usage: number, id: number, count: number): number[] {
  return [
    ...application(page, usage),
    ...reportId(id),
    ...BYTES,
    ...bytes(count, 0x01, INPUT),
    ...bytes(count, 0x02, OUTPUT),
    ...bytes(4, 0x03, FEATURE),
    END,
  ];
}

/** The keyboard of the boot protocol (HID 1.11, appendix B.1), with a report id. */
const KEYBOARD = [
  ...application(0x01, 0x06),
  ...reportId(1),
  ...[0x05, 0x07, 0x19, 0xe0, 0x29, 0xe7, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x08, 0x81, 0x02],
  ...[0x95, 0x01, 0x75, 0x08, 0x81, 0x01],
  ...[0x95, 0x05, 0x75, 0x01, 0x05, 0x08, 0x19, 0x01, 0x29, 0x05, 0x91, 0x02, 0x95, 0x01, 0x75, 0x03],
  ...[0x91, 0x01, 0x95, 0x06, 0x75, 0x08, 0x15, 0x00, 0x25, 0x65, 0x05, 0x07, 0x19, 0x00, 0x29, 0x65],
  ...[0x81, 0x00, END],
];

const FEATURE_BYTES = Buffer.from([9, 8, 7, 6]);
export const HID_KINDS = ['vendor', 'scanner', 'fido', 'composite'] as const;
export type HidKind = (typeof HID_KINDS)[number];

/** The input report of a scanner has 63 bytes, and an id. */
export const SCAN_REPORT = 2;
/** Feature report by which a host tells a scanner to report scans in this way. */
export const SCAN_MODE_REPORT = 0xfe;

/** @param count bytes of each report of the vendor's own kinds */
export function hidShape(kind: HidKind, count = 8): HidShape {
  switch (kind) {
    case 'vendor':
      return {
        descriptor: Buffer.from(echoCollection(0xff00, 0x01, 0, count)),
        hasIds: false,
        features: new Map([[0, FEATURE_BYTES]]),
      };
    case 'composite':
      return {
        descriptor: Buffer.from([...KEYBOARD, ...echoCollection(0xff00, 0x01, 2, count)]),
        hasIds: true,
        features: new Map([[2, FEATURE_BYTES]]),
      };
    case 'fido':
      return {
        // FIDO CTAP 2.1, 11.2.8.1
        descriptor: Buffer.from([
          ...application(0xf1d0, 0x01),
          ...BYTES,
          ...bytes(64, 0x20, INPUT),
          ...bytes(64, 0x21, OUTPUT),
          END,
        ]),
        hasIds: false,
        features: new Map(),
      };
    case 'scanner':
      return {
        // HID Point of Sale Usage Tables 1.02: bar code scanner with a report of decoded data
        descriptor: Buffer.from([
          ...application(0x8c, 0x02),
          ...reportId(SCAN_REPORT),
          ...BYTES,
          ...bytes(63, 0xfe, INPUT),
          ...reportId(SCAN_MODE_REPORT),
          ...bytes(1, 0xff, FEATURE),
          END,
        ]),
        hasIds: true,
        features: new Map([[SCAN_MODE_REPORT, Buffer.from([0])]]),
      };
  }
}

const SCAN_BYTES = 56;

/**
 * The input reports of a scan, with their id: length, the three characters of the AIM symbology identifier, 56 bytes of data,
 * the symbology, two bytes of which the second says that there is more (HID Point of Sale Usage Tables 1.02, 4.2).
 * @param aim for example `]E0` for EAN-13
 */
export function scanReports(text: string, aim: string, symbology: number): Buffer[] {
  const data = Buffer.from(text, 'latin1');
  const reports: Buffer[] = [];
  for (let at = 0; at === 0 || at < data.length; at += SCAN_BYTES) {
    const part = data.subarray(at, at + SCAN_BYTES);
    const report = Buffer.alloc(64);
    report.set([SCAN_REPORT, part.length, ...Buffer.from(aim, 'latin1').subarray(0, 3)]);
    part.copy(report, 5);
    report[61] = symbology;
    report[63] = at + SCAN_BYTES < data.length ? 1 : 0;
    reports.push(report);
  }
  return reports;
}
