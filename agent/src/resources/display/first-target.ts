import type { BundleProblem, Bundles, Target, TargetStore } from './ports.ts';
import type { DisplaySettings } from './settings.ts';

export interface MissingBundle extends BundleProblem {
  name: string;
}

/** What the screen shows first. */
export interface FirstTarget {
  wanted: Target;
  /** `wanted`, or the waiting page when that is a bundle that cannot be shown. */
  target: Target;
  /** Why the wanted bundle is not shown. */
  missing: MissingBundle | undefined;
}

/**
 * The first that exists of: the target before a restart of the agent, the last target, the boot bundle, the startup
 * URL, the waiting page (docs/contract.md: Display). Instead of a missing or damaged bundle the waiting page is shown,
 * with the reason, and not the next in this list: people should see that something is wrong.
 */
export async function firstTarget(
  store: TargetStore,
  bundles: Bundles,
  settings: DisplaySettings,
  primaryScreen: string | undefined,
): Promise<FirstTarget> {
  const wanted =
    (await store.current()) ??
    (settings.resumeOnBoot ? await store.last() : undefined) ??
    configuredTarget(settings, primaryScreen);
  if (wanted.mode !== 'bundle') return { wanted, target: wanted, missing: undefined };
  const { name } = wanted;
  const problem = await bundles.problem(name).catch(unreadable);
  if (!problem) return { wanted, target: wanted, missing: undefined };
  return { wanted, target: { mode: 'waiting' }, missing: { name, ...problem } };
}

function configuredTarget({ bootBundle, screens }: DisplaySettings, primaryScreen?: string): Target {
  if (bootBundle !== null) return { mode: 'bundle', name: bootBundle };
  // A graphics driver may load later than the agent. Until there is a screen, the one with a URL counts as primary.
  const candidates = primaryScreen === undefined ? Object.values(screens) : [screens[primaryScreen]];
  const url = candidates.find((screen) => screen?.url)?.url;
  return url ? { mode: 'url', url } : { mode: 'waiting' };
}

function unreadable(error: unknown): BundleProblem {
  const reason = error instanceof Error ? error.message : String(error);
  return { code: 'bundle_damaged', message: `The bundle cannot be read: ${reason}` };
}
