import type { BundleProblem, Bundles, Target, TargetStore } from './ports.ts';

/** What the screen shows first. */
export interface FirstTarget {
  /** What was meant to be shown. */
  wanted: Target;
  /** What is shown: what was wanted or, when that is a bundle that cannot be shown, the waiting page. */
  target: Target;
  /** Why the bundle that was wanted is not shown. */
  missing: MissingBundle | undefined;
}

export interface MissingBundle extends BundleProblem {
  name: string;
}

export interface FirstTargetOptions {
  store: TargetStore;
  bundles: Bundles;
  resumeOnBoot: boolean;
  bootBundle: string | null;
  /** The primary screen's startup URL. */
  url: string | null;
}

/**
 * The first that there is of: what a restart of the agent interrupted, what was shown last, the boot bundle, the
 * startup URL, the waiting page (contract-decisions: Display). A bundle that is missing or damaged falls through to
 * the waiting page, which tells why, and not to what comes next: people are to see that something is wrong.
 */
export async function firstTarget(options: FirstTargetOptions): Promise<FirstTarget> {
  const wanted =
    (await options.store.current()) ??
    (options.resumeOnBoot ? await options.store.last() : undefined) ??
    configured(options);
  if (wanted.mode !== 'bundle') return { wanted, target: wanted, missing: undefined };
  const { name } = wanted;
  const problem = await options.bundles.problem(name).catch(unreadable);
  if (!problem) return { wanted, target: wanted, missing: undefined };
  return { wanted, target: { mode: 'waiting' }, missing: { name, ...problem } };
}

function configured({ bootBundle, url }: FirstTargetOptions): Target {
  if (bootBundle !== null) return { mode: 'bundle', name: bootBundle };
  return url ? { mode: 'url', url } : { mode: 'waiting' };
}

function unreadable(error: unknown): BundleProblem {
  const why = error instanceof Error ? error.message : String(error);
  return { code: 'bundle_damaged', message: `The bundle cannot be read: ${why}` };
}
