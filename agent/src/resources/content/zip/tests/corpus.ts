/**
 * Valid, unusual and hostile archives, each with the expected verdict: `ok`, or a pattern for the reason. Used in the
 * tests of the reader, of uploads and of `check`.
 */
import { CONTENT_ZIPS } from './corpus-contents.ts';
import { NAME_ZIPS } from './corpus-names.ts';
import { STRUCTURE_ZIPS } from './corpus-structure.ts';
import { TOOL_ZIPS } from './corpus-tools.ts';
import type { CorpusZip } from './corpus-zip.ts';

export type { CorpusZip } from './corpus-zip.ts';

export const CORPUS: readonly CorpusZip[] = [
  // Programs first: starting one is slower the more memory this process uses.
  ...TOOL_ZIPS,
  ...NAME_ZIPS,
  ...CONTENT_ZIPS,
  ...STRUCTURE_ZIPS,
].map(builtOnce);

/** A shorter list for tests that do more than reading. @param withSlow includes archives that take seconds */
export function corpusFor(withSlow: boolean): readonly CorpusZip[] {
  return CORPUS.filter(({ isSlow }) => withSlow || !isSlow);
}

/** Some archives take a second to build, and a test file may use the list twice. */
function builtOnce(zip: CorpusZip): CorpusZip {
  let built: Promise<Buffer> | undefined;
  const build = () => {
    built ??= zip.build();
    return built;
  };
  return { ...zip, build };
}
