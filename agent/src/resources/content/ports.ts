/** The room on the partition that keeps the bundles. */
export interface DiskSpace {
  /**
   * Makes sure that the file at `path` can grow to `bytes`, counted from its beginning. What one file was promised,
   * no other gets. Asking again for more extends the promise; it ends when the file is gone.
   * @throws ApiError `insufficient_storage`; the file's content is as it was
   */
  reserve(path: string, bytes: number): Promise<void>;
  free(): Promise<{ free_bytes: number; total_bytes: number }>;
}
