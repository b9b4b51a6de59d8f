/** Which fields the device has refused, and why. Pure. */
import { RequestError } from '../../../../client/client.ts';
import { isObject } from './json.ts';

export interface Refusal {
  /** The device's words, in English, by the name of the field. */
  readonly byField: ReadonlyMap<string, readonly string[]>;
  /** What is about no field. */
  readonly others: readonly string[];
}

export const NO_REFUSAL: Refusal = { byField: new Map(), others: [] };

/**
 * What an error of a patch says about fields.
 * @param names of all fields and changes
 */
export function refusalOf(error: unknown, names: ReadonlySet<string>): Refusal {
  if (!(error instanceof RequestError)) return NO_REFUSAL;
  const { code, details = {} } = error;
  if (code === 'screen_not_found' && names.has('display.screens')) {
    const message = `${String(details.screen)} is no screen of this device`;
    return { byField: new Map([['display.screens', [message]]]), others: [] };
  }
  const issues = Array.isArray(details.issues) ? details.issues : [];
  const byField = new Map<string, string[]>();
  const others: string[] = [];
  for (const issue of issues.flatMap(issueIn)) {
    const name = fieldAt(issue.path, names);
    if (name === undefined) {
      others.push(`${issue.path.join('.')} ${issue.message}`.trim());
      continue;
    }
    const inside = issue.path.slice(name.split('.').length).map(place).join(', ');
    const message = inside === '' ? issue.message : `${inside}: ${issue.message}`;
    const messages = byField.get(name) ?? [];
    byField.set(name, messages.includes(message) ? messages : [...messages, message]);
  }
  return { byField, others };
}

/** The refusal without what it says about a field that the user has corrected. */
export function withoutField(refusal: Refusal, name: string): Refusal {
  if (!refusal.byField.has(name)) return refusal;
  return { ...refusal, byField: new Map([...refusal.byField].filter(([one]) => one !== name)) };
}

/** The path of an issue is a JSON pointer. */
function issueIn(issue: unknown): { path: string[]; message: string }[] {
  if (!isObject(issue) || typeof issue.path !== 'string' || typeof issue.message !== 'string') return [];
  const keys = issue.path.split('/').slice(1);
  const path = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return [{ path, message: issue.message }];
}

/** The longest beginning of a path that is a name. */
function fieldAt(path: readonly string[], names: ReadonlySet<string>): string | undefined {
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).join('.');
    if (names.has(name)) return name;
  }
  return undefined;
}

/** A part of a value: people count entries from one. */
function place(key: string): string {
  return /^\d+$/.test(key) ? `entry ${Number(key) + 1}` : key;
}
