/** What a change of the rules would allow or end, besides what the user has chosen. Pure. */
import type { Peripheral } from '../../../../client/peripheral-permissions.ts';
import { groupIn, textsIn } from '../../app/config-values.ts';
import type { Peripherals } from './devices.ts';

/** What else changes when a page is allowed to use a peripheral. */
export interface AllowEffect {
  /** Pages of these origins may then use it, too. */
  readonly otherOrigins: readonly string[];
  /** Peripherals that are plugged in, and may then be used, too. */
  readonly others: readonly Peripheral[];
  /** Entries that then apply, and match nothing that is plugged in. */
  readonly unusedEntries: number;
}

const KINDS = ['hid', 'serial', 'usb'] as const;

/**
 * @param config the whole configuration
 * @param target in `all`, and not protected
 */
export function effectOfAllowing(
  config: unknown,
  { peripherals: all }: Peripherals,
  target: Peripheral,
  origin: string,
): AllowEffect {
  const devices = groupIn(config, 'devices');
  const origins = textsIn(devices, 'origins');
  const isNewOrigin = !origins.includes(origin);
  const isOn = (kind: Peripheral['kind']): boolean => groupIn(devices, kind).enabled === true;
  /** Whether entries of the kind apply to a page to which they did not before. */
  const isWidened = (kind: Peripheral['kind']): boolean =>
    kind === target.kind ? isNewOrigin || !isOn(kind) : isNewOrigin && isOn(kind);
  const others = all.filter((one) => {
    if (one.id === target.id || one.state === 'protected') return false;
    return one.rule === null ? isSame(one, target) : isWidened(one.kind);
  });
  const unused = KINDS.filter(isWidened).map((kind) => {
    const { allow } = groupIn(devices, kind);
    const used = new Set(all.filter((one) => one.kind === kind && one.rule !== null).map(({ rule }) => rule));
    return Math.max(0, (Array.isArray(allow) ? allow.length : 0) - used.size);
  });
  return {
    otherOrigins: origins.filter((one) => one !== origin),
    others,
    unusedEntries: unused.reduce((sum, count) => sum + count, 0),
  };
}

/** The other peripherals that an entry matches: pages lose them, too, when it is removed. */
export function alsoMatched({ peripherals: all }: Peripherals, { id, kind, rule }: Peripheral): Peripheral[] {
  return all.filter((one) => one.id !== id && one.kind === kind && one.rule !== null && one.rule === rule);
}

/** Whether the entry that is suggested for one would match the other. */
function isSame(one: Peripheral, target: Peripheral): boolean {
  return (
    target.rule === null &&
    one.kind === target.kind &&
    JSON.stringify(one.suggestion) === JSON.stringify(target.suggestion)
  );
}
