/** Chooses the first target, and the notice that is shown while the target is not on the screen. */
import { errorMessage } from '../../base/system-error.ts';
import type { BundleProblem } from '../content/schema.ts';
import type { DisplayConfig } from './config.ts';
import type { Bundles, Target, TargetStore } from './ports.ts';
import type { DisplayError } from './schema.ts';

/** The address of the waiting page and of notices; no page can navigate there. */
export const OWN_URI = 'vitrine://waiting/';

/** A target with the address of its page; the waiting page is loaded as HTML. */
export type LocatedTarget =
  | Exclude<Target, { mode: 'bundle' }>
  | { mode: 'bundle'; name: string; url: string };

/** A bundle that cannot be shown, with the reason. */
export interface MissingBundle extends BundleProblem {
  name: string;
}

/** Why the waiting page, or a notice, is on the screen. */
export interface Notice {
  /** URL or bundle that cannot be shown. */
  what: string;
  /** The reason, as a sentence. */
  why: string;
  /** Whether the device tries again by itself. */
  retrying: boolean;
}

/**
 * The first that exists of: the target before a restart of the agent, the last target, the boot bundle, the startup
 * URL, the waiting page. Instead of a missing or damaged bundle the waiting page is shown, with the reason, and not the
 * next in this list: people should see that something is wrong.
 * @returns `missing`: why the wanted bundle cannot be shown
 */
export async function firstTarget(
  store: TargetStore,
  bundles: Bundles,
  config: DisplayConfig,
  primaryScreen: string | undefined,
): Promise<{ wanted: Target; missing: MissingBundle | undefined }> {
  const wanted =
    (await store.current()) ??
    (config.resume_on_boot ? await store.last() : undefined) ??
    configuredTarget(config, primaryScreen);
  if (wanted.mode !== 'bundle') return { wanted, missing: undefined };
  const problem = await bundles.problem(wanted.name).catch((error: unknown) => {
    return { code: 'bundle_damaged', message: `The bundle cannot be read: ${errorMessage(error)}` } as const;
  });
  return { wanted, missing: problem && { name: wanted.name, ...problem } };
}

function configuredTarget({ boot_bundle, screens }: DisplayConfig, primaryScreen?: string): Target {
  if (boot_bundle !== null) return { mode: 'bundle', name: boot_bundle };
  // A graphics driver may load later than the agent. Until there is a screen, the one with a URL counts as primary.
  const candidates = primaryScreen === undefined ? Object.values(screens) : [screens[primaryScreen]];
  const url = candidates.find((screen) => screen?.url)?.url;
  return url ? { mode: 'url', url } : { mode: 'waiting' };
}

/** Whether a document is the target: any page of a bundle, only the very page of a URL. */
export function isPageOf(uri: string, target: LocatedTarget): boolean {
  const actual = URL.parse(uri);
  const expected = URL.parse(target.mode === 'waiting' ? OWN_URI : target.url);
  if (!actual || !expected) return false;
  return target.mode === 'bundle' ? actual.origin === expected.origin : actual.href === expected.href;
}

/**
 * What the screen says while the target is not there; undefined when nothing is wrong.
 * @param error why the target is not on the screen
 * @param missing why the target is the waiting page instead of a bundle
 */
export function noticeOf(
  target: Target,
  error: DisplayError | null,
  missing: MissingBundle | undefined,
): Notice | undefined {
  if (target.mode === 'waiting') {
    return missing && { what: `Bundle ${missing.name}`, why: missing.message, retrying: false };
  }
  const what = target.mode === 'bundle' ? `Bundle ${target.name}` : target.url;
  return error ? { what, why: error.message, retrying: true } : undefined;
}
