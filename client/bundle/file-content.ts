/** What a file has, wherever it is: a Blob of a browser, or a file of this computer. */

export interface FileContent {
  /** In bytes. */
  readonly size: number;
  /** Reads a part; fewer bytes if the file has become shorter. @throws Error if it cannot be read */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** The content of a Blob or File. */
export function blobContent(blob: Blob): FileContent {
  return {
    size: blob.size,
    read: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
  };
}
