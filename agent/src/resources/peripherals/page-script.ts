import type { Interface } from './page-protocol.ts';

/** Interfaces that pages of an origin get, by origin. Without those that get none. */
export type Grants = ReadonlyMap<string, readonly Interface[]>;

export interface GrantRules {
  /** Whether the board has a USB host port; without one, only NFC is granted. */
  hasHostPort: boolean;
  devices: {
    origins: readonly string[];
    hid: { enabled: boolean };
    serial: { enabled: boolean };
    usb: { enabled: boolean };
  };
  nfc: { enabled: boolean; origins: readonly string[] };
}

/** Which interfaces the owner's rules give to which pages. */
export function grantsOf({ hasHostPort, devices, nfc }: GrantRules): Grants {
  const kinds = (['hid', 'serial', 'usb'] as const).filter((kind) => hasHostPort && devices[kind].enabled);
  const tagOrigins = nfc.enabled ? nfc.origins : [];
  const origins = new Set([...(kinds.length > 0 ? devices.origins : []), ...tagOrigins]);
  return new Map(
    [...origins].map((origin) => [
      origin,
      [
        ...(devices.origins.includes(origin) ? kinds : []),
        ...(tagOrigins.includes(origin) ? ['nfc' as const] : []),
      ],
    ]),
  );
}

/**
 * The script that the browser runs in pages of the granted origins only, before their own scripts.
 * @param shims agent/page/peripherals.js, which installs the interfaces named in `vitrineInterfaces`
 */
export function pageScript(grants: Grants, shims: string): string {
  const table = JSON.stringify(Object.fromEntries(grants));
  return `const vitrineInterfaces = (${table})[window.origin];\n${shims}`;
}
