import { type ArchiveSpec, buildZip, type EntrySpec } from './build-zip.ts';

/** One archive of the corpus. */
export interface CorpusZip {
  /** What is odd about it. */
  name: string;
  build(): Promise<Buffer>;
  /** Whether it is a valid bundle, or what the reason for refusing it matches. */
  expected: 'ok' | RegExp;
  /** Takes seconds of processor time each time that it is read. */
  isSlow?: true;
}

/** The page that makes an archive a bundle. */
export const PAGE: EntrySpec = { name: 'index.html', data: '<!doctype html><p>Hello, hello, hello!</p>\n' };

/** An archive of our own generator. */
export function made(
  name: string,
  expected: CorpusZip['expected'],
  entries: EntrySpec[],
  archive?: ArchiveSpec,
): CorpusZip {
  return { name, expected, build: async () => buildZip(entries, archive) };
}
