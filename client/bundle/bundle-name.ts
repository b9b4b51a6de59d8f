/** Names of bundles. Pure. */

export const MAX_NAME = 63;
/** As the device accepts them: a name is part of the address of the bundle's page. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** For a file whose name has no usable character. */
const FALLBACK = 'content';

/** Whether the device accepts a text as the name of a bundle. */
export function isBundleName(text: string): boolean {
  return NAME.test(text);
}

/** The name that is closest to that of a file or folder, without its ending and the number of a repeated download. */
export function bundleNameFor(fileName: string): string {
  const name = fileName
    .replace(/\.zip$/i, '')
    .replace(/ \(\d+\)$/, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_NAME)
    .replace(/-$/, '');
  return name || FALLBACK;
}
