/** The items of HID report descriptors (HID 1.11, 6.2.2), and what they say of a report's field. */
import type { HidReportItem } from './hid-collections.ts';

/** Types of items. */
export const MAIN = 0;
export const GLOBAL = 1;
export const LOCAL = 2;
const LONG_ITEM = 0xfe;

/** A short item (HID 1.11, 6.2.2.2). */
export interface Item {
  type: number;
  tag: number;
  /** 0, 1, 2 or 4 bytes, of which the value is. */
  size: number;
  /** Unsigned. */
  value: number;
}

/** The item state table, with the values that apply until they are changed. */
export interface GlobalState {
  usagePage: number;
  logicalMinimum: Item;
  logicalMaximum: Item;
  physicalMinimum: Item;
  physicalMaximum: Item;
  unit: number;
  unitExponent: number;
  reportSize: number;
  reportCount: number;
  reportId: number;
}

/** Units of a nibble (6.2.2.7); all others are reserved. */
const UNIT_SYSTEMS = new Map([
  [0x0, 'none'],
  [0x1, 'si-linear'],
  [0x2, 'si-rotation'],
  [0x3, 'english-linear'],
  [0x4, 'english-rotation'],
  [0xf, 'vendor-defined'],
]);

/** @returns undefined if the last item is not complete. Long items are left out, as none are defined (6.2.2.3). */
export function readItems(bytes: Uint8Array): Item[] | undefined {
  const items: Item[] = [];
  for (let at = 0; at < bytes.length; ) {
    const prefix = bytes[at] ?? 0;
    const isLong = prefix === LONG_ITEM;
    const size = isLong ? 2 + (bytes[at + 1] ?? 0) : ([0, 1, 2, 4][prefix & 0x03] ?? 0);
    const next = at + 1 + size;
    if (next > bytes.length) return undefined;
    if (!isLong) {
      const value = bytes.slice(at + 1, next).reduceRight((sum, byte) => sum * 256 + byte, 0);
      items.push({ type: (prefix >> 2) & 0x03, tag: prefix >> 4, size, value });
    }
    at = next;
  }
  return items;
}

export function initialState(): GlobalState {
  const zero: Item = { type: GLOBAL, tag: 0, size: 0, value: 0 };
  return {
    usagePage: 0,
    logicalMinimum: zero,
    logicalMaximum: zero,
    physicalMinimum: zero,
    physicalMaximum: zero,
    unit: 0,
    unitExponent: 0,
    reportSize: 0,
    reportCount: 0,
    reportId: 0,
  };
}

/**
 * A field of a report without its usages, which are local.
 * @param flags value of the main item (6.2.2.5)
 */
export function fieldOf(
  flags: number,
  global: GlobalState,
): Omit<HidReportItem, 'isRange' | 'usages' | 'usageMinimum' | 'usageMaximum'> {
  const has = (bit: number) => ((flags >> bit) & 1) === 1;
  const logicalMinimum = signed(global.logicalMinimum);
  const physicalMinimum = signed(global.physicalMinimum);
  return {
    isAbsolute: !has(2),
    isArray: !has(1),
    isBufferedBytes: has(8),
    isConstant: has(0),
    isLinear: !has(4),
    isVolatile: has(7),
    hasNull: has(6),
    hasPreferredState: !has(5),
    wrap: has(3),
    reportSize: global.reportSize,
    reportCount: global.reportCount,
    unitExponent: global.unitExponent,
    unitSystem: UNIT_SYSTEMS.get(global.unit & 0x0f) ?? 'reserved',
    unitFactorLengthExponent: signedNibble(global.unit, 1),
    unitFactorMassExponent: signedNibble(global.unit, 2),
    unitFactorTimeExponent: signedNibble(global.unit, 3),
    unitFactorTemperatureExponent: signedNibble(global.unit, 4),
    unitFactorCurrentExponent: signedNibble(global.unit, 5),
    unitFactorLuminousIntensityExponent: signedNibble(global.unit, 6),
    logicalMinimum,
    logicalMaximum: maximum(global.logicalMaximum, logicalMinimum),
    physicalMinimum,
    physicalMaximum: maximum(global.physicalMaximum, physicalMinimum),
    strings: [],
  };
}

function signed({ size, value }: Item): number {
  const unused = 32 - 8 * size;
  return unused === 32 ? 0 : (value << unused) >> unused;
}

/** Devices write 255 as one byte. */
function maximum(item: Item, minimum: number): number {
  return minimum < 0 || item.size === 4 ? signed(item) : item.value;
}

/** Nibble of a value as two's complement; 0 is the lowest. */
export function signedNibble(value: number, index: number): number {
  return (value << (28 - 4 * index)) >> 28;
}
