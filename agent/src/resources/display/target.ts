/** What a target means: where the browser finds it, and what people are told while it is not there. */
import type { MissingBundle } from './first-target.ts';
import type { Bundles, Notice, Target } from './ports.ts';
import type { DisplayError } from './schema.ts';

/** Where the browser finds the target; the waiting page has no address. */
export function addressOf(target: Target, bundles: Bundles): string | undefined {
  if (target.mode === 'bundle') return bundles.url(target.name);
  return target.mode === 'url' ? target.url : undefined;
}

/** Whether a document is the target: of a bundle every page is, of a URL only its own. */
export function isPageOf(uri: string, target: Target, bundles: Bundles): boolean {
  const address = addressOf(target, bundles);
  if (address === undefined || !URL.canParse(uri) || !URL.canParse(address)) return false;
  const [there, wanted] = [new URL(uri), new URL(address)];
  return target.mode === 'bundle' ? there.origin === wanted.origin : there.href === wanted.href;
}

/**
 * What people at the screen are told; undefined when nothing is wrong.
 * @param error why the target is not on the screen
 * @param missing why the target is the waiting page, when something else was wanted
 */
export function noticeOf(
  target: Target,
  error: DisplayError | null,
  missing: MissingBundle | undefined,
): Notice | undefined {
  if (target.mode === 'waiting') {
    return missing && { what: bundleText(missing.name), why: missing.message, retrying: false };
  }
  if (!error) return undefined;
  const what = target.mode === 'bundle' ? bundleText(target.name) : target.url;
  return { what, why: error.message, retrying: true };
}

function bundleText(name: string): string {
  return `Bundle ${name}`;
}
