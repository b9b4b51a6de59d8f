/** The QR code with which phones join a network. Pure. */
import qrcode from 'qrcode-generator';

/** Light modules around a QR code (ISO/IEC 18004). */
const QUIET_MODULES = 4;

/** The text that phones read as a network to join: the format of ZXing, as on the waiting page of the device. */
export function joinText(ssid: string, psk: string): string {
  const quoted = (text: string) => text.replaceAll(/[\\;,:"]/g, (character) => `\\${character}`);
  return `WIFI:T:WPA;S:${quoted(ssid)};P:${quoted(psk)};;`;
}

export interface CodePicture {
  /** Of an SVG element. */
  readonly viewBox: string;
  /** The dark modules, as the path of an SVG element. */
  readonly path: string;
}

/** A QR code of a text. */
export function codePicture(text: string): CodePicture {
  const code = qrcode(0, 'M');
  // Takes one byte of each character; phones read the bytes as UTF-8.
  code.addData(String.fromCharCode(...new TextEncoder().encode(text)));
  code.make();
  const size = code.getModuleCount();
  const numbers = Array.from({ length: size }, (_, index) => index);
  const dark = numbers.flatMap((y) =>
    numbers.filter((x) => code.isDark(y, x)).map((x) => `M${x} ${y}h1v1h-1z`),
  );
  const [from, side] = [-QUIET_MODULES, size + 2 * QUIET_MODULES];
  return { viewBox: `${from} ${from} ${side} ${side}`, path: dark.join('') };
}
