/** What the displayed page may do, by the configuration. Pure. */
import type { DisplayState } from '../../app/device-state.ts';
import { valueAt } from './json.ts';

/** What pages have to be permitted one by one (`browser.permissions`). */
export const KINDS = ['camera', 'microphone', 'geolocation', 'notifications'] as const;
/** What all pages may, or the browser does for all of them; the names are those of the fields in `browser`. */
export const SWITCHES = ['allow_host_services', 'ignore_tls_errors', 'remote_debugging'] as const;

export type RightName = (typeof KINDS)[number] | (typeof SWITCHES)[number];

export interface Right {
  readonly name: RightName;
  readonly isOn: boolean;
  /** It makes the device less safe while it is on. */
  readonly isRisk: boolean;
}

type Shown = Pick<DisplayState, 'mode' | 'url' | 'target_url' | 'bundle'>;

/**
 * The origin of the displayed page as the configuration has it, without the port for a bundle, which only the device
 * knows; undefined for the waiting page, which has no permissions.
 */
export function originOf({ mode, url, target_url, bundle }: Shown): string | undefined {
  if (mode === 'bundle') return `http://${bundle ?? ''}.localhost`;
  return mode === 'url' ? URL.parse(url ?? target_url ?? '')?.origin : undefined;
}

/** @param config the whole configuration */
export function rightsOf(config: unknown, shown: Shown): Right[] {
  const origin = originOf(shown);
  const listed = valueAt(config, 'browser', 'permissions');
  const permissions: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const isPermitted = (kind: string): boolean =>
    permissions.some(
      (one) => valueAt(one, 'kind') === kind && isAt(valueAt(one, 'origin'), origin, shown.mode),
    );
  return [
    ...KINDS.map((name) => ({ name, isOn: isPermitted(name), isRisk: false })),
    ...SWITCHES.map((name) => ({ name, isOn: valueAt(config, 'browser', name) === true, isRisk: true })),
  ];
}

function isAt(listed: unknown, origin: string | undefined, mode: Shown['mode']): boolean {
  if (typeof listed !== 'string' || origin === undefined) return false;
  return (mode === 'bundle' ? listed.replace(/:\d+$/, '') : listed) === origin;
}
