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
