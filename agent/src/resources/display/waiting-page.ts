import { isIPv4, isIPv6 } from 'node:net';
import qrcode from 'qrcode-generator';
import type { Notice } from './target.ts';

/** A Wi-Fi network that people can join. */
export interface AccessPoint {
  ssid: string;
  psk: string;
}

/** The facts on the waiting page. */
export interface WaitingFacts {
  name: string;
  version: string;
  /** All addresses of the device's interfaces, in their order. */
  addresses: readonly string[];
  /** Version of the owner's image; empty or absent without one. */
  splash?: string;
  /** The active access point of this device. */
  accessPoint?: AccessPoint | undefined;
}

/** Address of the owner's image; `?v=` keeps the browser from showing an earlier one. */
export const SPLASH_URI = 'vitrine://files/splash';

const MAX_ADDRESSES = 3;
/** Light modules around a QR code (ISO/IEC 18004). */
const QUIET_MODULES = 4;

/**
 * The built-in page: name and addresses of the device, or why the requested page is not shown.
 * @param template page/waiting.html; its `{{…}}` placeholders are filled, and everything is escaped
 */
export function waitingPage(template: string, facts: WaitingFacts, notice: Notice | undefined): string {
  const urls = hostUrls(facts.addresses);
  const addresses = urls.slice(0, MAX_ADDRESSES).map((url) => `<li>${escaped(url)}</li>`);
  const values: Record<string, string> = {
    state: notice ? 'notice' : urls.length > 0 ? 'ready' : 'offline',
    name: escaped(facts.name),
    version: escaped(facts.version),
    splash: facts.splash
      ? `<img class="splash" src="${SPLASH_URI}?v=${encodeURIComponent(facts.splash)}" alt="">\n`
      : '',
    addresses: addresses.join(''),
    join: facts.accessPoint ? joinCode(facts.accessPoint) : '',
    what: escaped(notice?.what ?? ''),
    why: escaped(notice?.why ?? ''),
    again: notice?.retrying ? ' Trying again.' : '',
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_placeholder, key: string) => values[key] ?? '');
}

/** The network's name, and a QR code with which phones join it. */
function joinCode({ ssid, psk }: AccessPoint): string {
  const code = qrcode(0, 'M');
  // Takes one byte of each character; phones read the bytes as UTF-8.
  code.addData(Buffer.from(joinText(ssid, psk)).toString('latin1'));
  code.make();
  const size = code.getModuleCount();
  const numbers = Array.from({ length: size }, (_, index) => index);
  const dark = numbers.flatMap((y) =>
    numbers.filter((x) => code.isDark(y, x)).map((x) => `M${x} ${y}h1v1h-1z`),
  );
  const [from, side] = [-QUIET_MODULES, size + 2 * QUIET_MODULES];
  return (
    `<figure class="join"><svg viewBox="${from} ${from} ${side} ${side}"><path d="${dark.join('')}"/></svg>` +
    `<figcaption>Wi-Fi<b>${escaped(ssid)}</b></figcaption></figure>`
  );
}

/**
 * The text that phones read as a network to join. Its format has no standard; this is that of ZXing ("Barcode Contents:
 * Wi-Fi Network config"), which Android and iOS follow.
 */
export function joinText(ssid: string, psk: string): string {
  const quoted = (text: string) => text.replaceAll(/[\\;,:"]/g, (character) => `\\${character}`);
  return `WIFI:T:WPA;S:${quoted(ssid)};P:${quoted(psk)};;`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** URLs that people can type to reach the device: IPv4 first, without link-local addresses. */
export function hostUrls(addresses: readonly string[]): string[] {
  const v4 = addresses.filter((address) => isIPv4(address) && !address.startsWith('169.254.'));
  const v6 = addresses.filter((address) => isIPv6(address) && !/^fe[89a-f]/i.test(address));
  return [...v4.map((address) => `http://${address}`), ...v6.map((address) => `http://[${address}]`)];
}
