/**
 * Valid, unusual and hostile archives, each with the expected verdict: `ok`, or a pattern for the reason. The tests of the
 * reader use all of them, those of uploads and of `check` the samples.
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

/** An archive of each kind that uploads and `check` could handle differently from the reader. */
export const SAMPLES: readonly CorpusZip[] = [
  'Info-ZIP',
  'a signed data descriptor',
  'zip64 everywhere',
  '1000 entries',
  'nothing',
  'a page',
  'a program before the archive',
  'an archive that was cut off',
  'bytes after the end',
  'a packed entry with a wrong CRC-32',
  'a bomb that hides its size',
  'a bomb: over 1 GiB at over 200 times its size',
  'an encrypted entry',
  'a symbolic link',
  'an absolute path',
  'a path that leaves the root',
  'one name twice',
  'no index.html',
  'index.html one folder deeper',
].map(named);

function named(name: string): CorpusZip {
  const found = CORPUS.find((zip) => zip.name === name);
  if (!found) throw new Error(`The corpus has no archive "${name}".`);
  return found;
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
