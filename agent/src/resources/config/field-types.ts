/** Schemas that the configuration groups of several resources use, and the rules that a pattern cannot express. */
import { Type } from 'typebox';
import { CONTROL } from '../../contract/shared.ts';
import type { BrokenRule } from './group.ts';

export const WebUrl = Type.String({
  minLength: 8,
  maxLength: 8192,
  format: 'uri',
  pattern: `^[Hh][Tt][Tt][Pp][Ss]?://[^\\s${CONTROL}/?#][^\\s${CONTROL}]*$`,
  description: 'http: or https:',
});

export const Origin = Type.String({
  maxLength: 512,
  pattern: '^https?://[^\\s/?#@\\\\]+$',
  format: 'uri',
  description: 'Origin of a page: scheme, host and, where it is not the usual one, port',
  examples: ['https://kiosk.example', 'http://menu.localhost:8090'],
});

/** Text that people read: one line, not blank. The pattern needs one pass, since texts may be long. */
export const label = (maxLength: number) => ({
  minLength: 1,
  maxLength,
  pattern: `^ *[^\\s${CONTROL}][^${CONTROL}]*$`,
});

/** The fields of a group, by JSON pointer, that hold a URL which does not parse. */
export function urlRules(urls: Readonly<Record<string, string | null>>): BrokenRule[] {
  return Object.entries(urls)
    .filter(([, url]) => url !== null && !URL.canParse(url))
    .map(([path]) => ({ path, message: 'must be a URL' }));
}

/** Origins must be written as a page has them. @param path JSON pointer of the list in its group */
export function originRules(path: string, origins: readonly string[]): BrokenRule[] {
  return origins.flatMap((origin, index) => {
    const parsed = URL.canParse(origin) ? new URL(origin).origin : undefined;
    if (parsed === origin) return [];
    const message = parsed === undefined ? 'must be an origin' : `must be spelt ${parsed}`;
    return [{ path: `${path}/${index}`, message, reset: path }];
  });
}

/** A key as a part of a JSON pointer. */
export function pointerKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
