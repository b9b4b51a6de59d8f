/** An entry of an archive. */
export interface ZipEntry {
  /** Path inside the archive with slashes; the name of a folder ends with one. */
  name: string;
  isFolder: boolean;
  method: 'stored' | 'deflate';
  /** Of the unpacked bytes. */
  crc32: number;
  compressedBytes: number;
  /** Unpacked size. */
  bytes: number;
  /** Position of the data in the archive. */
  dataStart: number;
}

/** The entries of an archive by name, folders included, in the order of the central directory. */
export type ZipDirectory = ReadonlyMap<string, ZipEntry>;

/** Why an archive is not a valid bundle: one English sentence, safe to print. */
export class ZipError extends Error {
  override name = 'ZipError';
}

const SHOWN_CHARACTERS = 80;

/** A name in quotes for a message: invisible characters are escaped, a long name is cut. */
export function quoted(name: string): string {
  const cut = name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name;
  return JSON.stringify(cut).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** The error `The entry "NAME" PROBLEM.` */
export function entryError(name: string, problem: string): ZipError {
  return new ZipError(`The entry ${quoted(name)} ${problem}.`);
}
