/**
 * Hostile and odd archives, each with the expected answer: `ok`, or what the reason matches. One list for the reader, for
 * uploads and for `check`.
 */
import { CONTENT_ZIPS } from './corpus-contents.ts';
import { NAME_ZIPS } from './corpus-names.ts';
import { STRUCTURE_ZIPS } from './corpus-structure.ts';
import { TOOL_ZIPS } from './corpus-tools.ts';
import type { CorpusZip } from './corpus-zip.ts';

export type { CorpusZip } from './corpus-zip.ts';

export const CORPUS: readonly CorpusZip[] = [
  // First those that programs make: starting one takes the longer the more memory the tests have used before.
  ...TOOL_ZIPS,
  ...NAME_ZIPS,
  ...CONTENT_ZIPS,
  ...STRUCTURE_ZIPS,
].map(builtOnce);

/** For whoever does more with each archive than read it once. @param withSlow also those that take seconds */
export function corpusFor(withSlow: boolean): readonly CorpusZip[] {
  return CORPUS.filter(({ isSlow }) => withSlow || !isSlow);
}

/** Some take a program and a second to build, and a test file may go through the list twice. */
function builtOnce(zip: CorpusZip): CorpusZip {
  let built: Promise<Buffer> | undefined;
  const build = () => {
    built ??= zip.build();
    return built;
  };
  return { ...zip, build };
}
