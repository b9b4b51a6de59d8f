/** Where the browser finds a target, and what the screen says while it is not there. */
import type { MissingBundle } from './first-target.ts';
import type { Notice, Target } from './ports.ts';
import type { DisplayError } from './schema.ts';

/** The address of the waiting page and of notices; no page can navigate there. */
export const OWN_URI = 'vitrine://waiting/';

/**
 * The address of a target; undefined for the waiting page, which is loaded as HTML.
 * @param bundleUrl address of a bundle's start page
 */
export function addressOf(target: Target, bundleUrl: (name: string) => string): string | undefined {
  if (target.mode === 'bundle') return bundleUrl(target.name);
  return target.mode === 'url' ? target.url : undefined;
}

/** Whether a document is the target: any page of a bundle, only the very page of a URL. */
export function isPageOf(uri: string, target: Target, bundleUrl: (name: string) => string): boolean {
  const address = addressOf(target, bundleUrl) ?? OWN_URI;
  if (!URL.canParse(uri) || !URL.canParse(address)) return false;
  const [actual, expected] = [new URL(uri), new URL(address)];
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
    return missing && { what: bundleText(missing.name), why: missing.message, retrying: false };
  }
  if (!error) return undefined;
  const what = target.mode === 'bundle' ? bundleText(target.name) : target.url;
  return { what, why: error.message, retrying: true };
}

function bundleText(name: string): string {
  return `Bundle ${name}`;
}
