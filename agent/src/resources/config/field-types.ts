/** Schemas for the configuration groups of several resources, and rules that a pattern cannot express. */
import * as Type from 'typebox';
import { CONTROL, matching } from '../../contract/shared.ts';
import type { BrokenRule } from './group.ts';

/** Of a web address that does not match. */
export const WEB_ADDRESS =
  'must begin with http:// or https://, and have no spaces, for example https://example.com/';

export const WebUrl = Type.String({
  minLength: 8,
  maxLength: 8192,
  format: 'uri',
  ...matching(`^[Hh][Tt][Tt][Pp][Ss]?://[^\\s${CONTROL}/?#][^\\s${CONTROL}]*$`, WEB_ADDRESS),
  description: 'http: or https:',
});

export const Origin = Type.String({
  maxLength: 512,
  ...matching(
    '^https?://[^\\s/?#@\\\\]+$',
    'must be an origin without a path, such as https://kiosk.example',
  ),
  format: 'uri',
  description: 'Origin of a page: scheme, host and, where it is not the usual one, port',
  examples: ['https://kiosk.example', 'http://menu.localhost:8090'],
});

/** One line of text for people, not blank. The pattern is matched in one pass: the text may be long. */
export const label = (maxLength: number) => ({
  minLength: 1,
  maxLength,
  ...matching(`^ *[^\\s${CONTROL}][^${CONTROL}]*$`, 'must be one line of text that is not blank'),
});

/** Requires URLs that parse. @param urls by JSON pointer in their group */
export function urlRules(urls: Readonly<Record<string, string | null>>): BrokenRule[] {
  return Object.entries(urls)
    .filter(([, url]) => url !== null && !URL.canParse(url))
    .map(([path]) => ({ path, message: 'must be a URL' }));
}

/** Requires origins as browsers serialize them. @param path JSON pointer of the list in its group */
export function originRules(path: string, origins: readonly string[]): BrokenRule[] {
  return origins.flatMap((origin, index) => {
    const parsed = URL.canParse(origin) ? new URL(origin).origin : undefined;
    if (parsed === origin) return [];
    const message = parsed === undefined ? 'must be an origin' : `must be written as ${parsed}`;
    return [{ path: `${path}/${index}`, message, reset: path }];
  });
}

/** Escapes a key for a JSON pointer. */
export function pointerKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
