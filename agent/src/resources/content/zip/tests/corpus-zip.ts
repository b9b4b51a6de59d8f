import { type ArchiveSpec, buildZip, type EntrySpec } from './build-zip.ts';

/** One archive of the corpus. */
export interface CorpusZip {
  /** What is special about it. */
  name: string;
  build(): Promise<Buffer>;
  /** `ok` for a valid bundle, or a pattern for the reason why it is refused. */
  expected: 'ok' | RegExp;
  /** Takes seconds of processor time to read. */
  isSlow?: true;
}

/** The page that makes an archive a bundle. */
export const PAGE: EntrySpec = { name: 'index.html', data: '<!doctype html><p>Hello, hello, hello!</p>\n' };

/** An archive from the generator. */
export function made(
  name: string,
  expected: CorpusZip['expected'],
  entries: EntrySpec[],
  archive?: ArchiveSpec,
): CorpusZip {
  return { name, expected, build: async () => buildZip(entries, archive) };
}
