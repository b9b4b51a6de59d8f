/** HID 1.11, 6.2.2.3: a long item has its size in the next byte, and its tag in the one after that. */
const LONG_ITEM = 0xfe;
/** Tag and type of "Report ID" (6.2.2.7). */
const REPORT_ID = 0x84;

/** Whether the reports of a HID device begin with an id, by its report descriptor. */
export function hasReportIds(descriptor: Uint8Array): boolean {
  let at = 0;
  while (at < descriptor.length) {
    const prefix = descriptor[at] ?? 0;
    if (prefix === LONG_ITEM) {
      at += 3 + (descriptor[at + 1] ?? 0);
      continue;
    }
    if ((prefix & 0xfc) === REPORT_ID) return true;
    const size = prefix & 3;
    at += 1 + (size === 3 ? 4 : size);
  }
  return false;
}
