/** Free space on the data partition. */
export interface DiskSpace {
  /**
   * Makes sure that the file at `path` can grow to `bytes`, counted from its beginning. Space that is reserved for one
   * file is not given to another. Call again with a larger number to extend the reservation; it ends when the file is
   * removed.
   * @throws ApiError `insufficient_storage`; the file's content is unchanged
   */
  reserve(path: string, bytes: number): Promise<void>;
  free(): Promise<{ free_bytes: number; total_bytes: number }>;
}
