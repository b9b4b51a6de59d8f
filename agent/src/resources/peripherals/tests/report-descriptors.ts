/** Report descriptors of devices, as bytes. */

/** HID 1.11, appendix E.6. */
export const BOOT_KEYBOARD = hex(`
  0501 0906 a101
    0507 19e0 29e7 1500 2501 7501 9508 8102
    9501 7508 8101
    9505 7501 0508 1901 2905 9102
    9501 7503 9101
    9506 7508 1500 2565 0507 1900 2965 8100
  c0`);

/** HID 1.11, appendix E.10. */
export const BOOT_MOUSE = hex(`
  0501 0902 a101
    0901 a100
      0509 1901 2903 1500 2501 9503 7501 8102
      9501 7505 8101
      0501 0930 0931 1581 257f 7508 9502 8106
    c0
  c0`);

/** Reports of 8, 8 and 4 bytes without ids. */
export const VENDOR = hex(`
  0600ff 0901 a101
    1500 26ff00 7508
    9508 0901 8102
    9508 0901 9102
    9504 0902 b102
  c0`);

/** FIDO client to authenticator protocol, 11.2.8.1: reports of 64 bytes. */
export const FIDO = hex(`
  06d0f1 0901 a101
    1500 26ff00 7508 9540
    0920 8102
    0921 9102
  c0`);

/** HID Point of Sale usage tables, bar code scanner: report 2 (symbology and scanned data) and 4 (trigger). */
export const SCANNER = hex(`
  058c 0902 a101
    0912 a102
      8502 1500 26ff00 7508
      9503 09fb 09fc 09fd 8102
      9538 09fe 820201
    c0
    0914 a102
      8504 2501 7501 9501 0960 9102
      9507 9103
    c0
  c0`);

/** A keyboard with report 1, and a vendor's collection with reports 2 and 3. */
export const KEYBOARD_AND_VENDOR = hex(`
  0501 0906 a101
    8501 0507 19e0 29e7 1500 2501 7501 9508 8102
    9506 7508 2565 1900 2965 8100
  c0
  0600ff 0901 a101
    1500 26ff00 7508
    8502 9508 0901 8102 0901 9102
    8503 9504 0902 b102
  c0`);

export function hex(text: string): Uint8Array {
  return Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
}
