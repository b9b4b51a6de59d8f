import type { HidCollection, HidReport, HidReportItem } from './hid-collections.ts';
import {
  fieldOf,
  GLOBAL,
  type GlobalState,
  type Item,
  initialState,
  LOCAL,
  MAIN,
  readItems,
  signedNibble,
} from './hid-report-items.ts';

/** Longest descriptor that Linux takes, in bytes. */
const MAX_BYTES = 4096;
/** Collections in each other. Devices have three or four. */
const MAX_DEPTH = 32;
const MAX_COLLECTIONS = 256;
const MAX_GLOBAL_STATES = 16;
/** Items and usages of all collections; those of nested collections count once for each that contains them. */
const MAX_ITEMS = 1024;
const MAX_USAGES = 8192;

/** A usage, or an end of a range of usages, for the next main item. */
interface LocalUsage {
  end: 'none' | 'minimum' | 'maximum';
  /** With the usage page in the upper 16 bits. */
  usage: number;
  /** The descriptor gives it without a usage page. */
  isShort: boolean;
}

/** A collection that is not complete. */
interface OpenCollection extends HidCollection {
  children: HidCollection[];
  inputReports: OpenReport[];
  outputReports: OpenReport[];
  featureReports: OpenReport[];
}
interface OpenReport extends HidReport {
  items: HidReportItem[];
}

/** Names of Input, Output and Feature among the fields of a collection, by tag. */
const REPORTS = new Map<number, 'inputReports' | 'outputReports' | 'featureReports'>([
  [0x8, 'inputReports'],
  [0x9, 'outputReports'],
  [0xb, 'featureReports'],
]);

/**
 * Reads a HID report descriptor as WebHID does ("parse the report descriptor"): every collection has the reports of the
 * collections in it. Never throws.
 *
 * Where WebHID and HID 1.11 leave a choice, Linux's parser is followed, which decides whether a collection is a keyboard:
 * a usage page counts that is set after a usage and before its main item, a range's minimum is the usage of a collection,
 * and a logical maximum is signed only if the minimum is negative. Fields without bits are left out, ranges are not
 * expanded, and `strings` is empty, as hidraw does not give a device's strings. Undeclared limits are 0, as in WebHID.
 *
 * @returns the top-level collections; none for a descriptor that is malformed or larger than the bounds above. It is not
 * read partially: what follows the fault could be a keyboard that has to be protected.
 */
export function parseReportDescriptor(bytes: Uint8Array): HidCollection[] {
  const items = bytes.length > MAX_BYTES ? undefined : readItems(bytes);
  const parser = new Parser();
  return items?.every((item) => parser.take(item)) ? (parser.collections ?? []) : [];
}

class Parser {
  readonly #collections: HidCollection[] = [];
  /** The collections that are open, the outermost first. */
  readonly #open: OpenCollection[] = [];
  readonly #saved: GlobalState[] = [];
  #global: GlobalState = initialState();
  #usages: LocalUsage[] = [];
  #collectionCount = 0;
  #itemCount = 0;
  #usageCount = 0;

  /** Undefined while a collection is not closed. */
  get collections(): HidCollection[] | undefined {
    return this.#open.length === 0 ? this.#collections : undefined;
  }

  /** @returns false for an item that is wrong here, or one too many */
  take(item: Item): boolean {
    if (item.type === GLOBAL) return this.#setGlobal(item);
    if (item.type === LOCAL) {
      this.#addUsage(item);
      return true;
    }
    if (item.type !== MAIN) return true;
    this.#completeUsages();
    const done = this.#addMain(item);
    this.#usages = [];
    return done;
  }

  #setGlobal(item: Item): boolean {
    const { tag, value } = item;
    const global = this.#global;
    if (tag === 0x0) global.usagePage = value & 0xffff;
    if (tag === 0x1) global.logicalMinimum = item;
    if (tag === 0x2) global.logicalMaximum = item;
    if (tag === 0x3) global.physicalMinimum = item;
    if (tag === 0x4) global.physicalMaximum = item;
    if (tag === 0x5) global.unitExponent = signedNibble(value, 0);
    if (tag === 0x6) global.unit = value;
    if (tag === 0x7) global.reportSize = value;
    if (tag === 0x8) global.reportId = value;
    if (tag === 0x9) global.reportCount = value;
    if (tag === 0xa) this.#saved.push({ ...global });
    if (tag === 0xb) {
      const saved = this.#saved.pop();
      if (!saved) return false;
      this.#global = saved;
    }
    // 0 is reserved (6.2.2.7).
    if (tag === 0x8 && (value === 0 || value > 0xff)) return false;
    return (
      global.reportSize <= 0xffff && global.reportCount <= 0xffff && this.#saved.length <= MAX_GLOBAL_STATES
    );
  }

  #addUsage({ tag, value }: Item): void {
    const end = (['none', 'minimum', 'maximum'] as const)[tag];
    if (!end) return;
    const isShort = value <= 0xffff;
    this.#usages.push({ end, usage: isShort ? this.#onPage(value) : value, isShort });
  }

  /** Usages get the usage page that was set after them, if none of those after it has got that one. */
  #completeUsages(): void {
    for (const usage of this.#usages.toReversed()) {
      if (!usage.isShort) continue;
      const complete = this.#onPage(usage.usage & 0xffff);
      if (usage.usage === complete) return;
      usage.usage = complete;
    }
  }

  #onPage(id: number): number {
    return this.#global.usagePage * 0x1_0000 + id;
  }

  #addMain(item: Item): boolean {
    if (item.tag === 0xa) return this.#openCollection(item.value & 0xff);
    if (item.tag === 0xc) return this.#open.pop() !== undefined;
    const reports = REPORTS.get(item.tag);
    if (!reports || this.#global.reportSize === 0 || this.#global.reportCount === 0) return true;
    const field = { ...this.#fieldUsages(), ...fieldOf(item.value, this.#global) };
    this.#itemCount += this.#open.length;
    this.#usageCount += this.#open.length * (field.usages?.length ?? 0);
    if (this.#itemCount > MAX_ITEMS || this.#usageCount > MAX_USAGES) return false;
    const { reportId } = this.#global;
    for (const collection of this.#open) {
      const list = collection[reports];
      const report = list.find((one) => one.reportId === reportId);
      if (report) report.items.push(field);
      else list.push({ reportId, items: [field] });
    }
    return true;
  }

  #openCollection(type: number): boolean {
    this.#collectionCount++;
    if (this.#collectionCount > MAX_COLLECTIONS || this.#open.length === MAX_DEPTH) return false;
    const usage = this.#usages[0]?.usage ?? this.#onPage(0);
    const collection: OpenCollection = {
      usagePage: Math.floor(usage / 0x1_0000),
      usage: usage % 0x1_0000,
      type,
      children: [],
      inputReports: [],
      outputReports: [],
      featureReports: [],
    };
    (this.#open.at(-1)?.children ?? this.#collections).push(collection);
    this.#open.push(collection);
    return true;
  }

  /** WebHID knows one range for an item, the last one. Usages besides a range are not in its result. */
  #fieldUsages(): Pick<HidReportItem, 'isRange' | 'usages' | 'usageMinimum' | 'usageMaximum'> {
    const usageMinimum = this.#usages.findLast(({ end }) => end === 'minimum')?.usage;
    const usageMaximum = this.#usages.findLast(({ end }) => end === 'maximum')?.usage;
    if (usageMinimum !== undefined && usageMaximum !== undefined && usageMinimum < usageMaximum) {
      return { isRange: true, usageMinimum, usageMaximum };
    }
    const usages = this.#usages.filter(({ end }) => end === 'none').map(({ usage }) => usage);
    // A range of one usage is that usage.
    if (usageMinimum !== undefined && usageMinimum === usageMaximum) usages.push(usageMinimum);
    return usages.length > 0 ? { isRange: false, usages } : { isRange: false };
  }
}
