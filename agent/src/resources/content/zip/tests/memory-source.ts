import type { ByteSource } from '../source.ts';

/** An archive in memory, for tests. Refuses reads outside it, as a file does. */
export function memorySource(bytes: Buffer): ByteSource {
  return {
    size: bytes.length,
    async read(position, length, into) {
      if (position < 0 || length < 0 || position + length > bytes.length) {
        throw new Error(`a read of ${length} bytes at ${position} reaches outside ${bytes.length} bytes`);
      }
      const part = bytes.subarray(position, position + length);
      if (!into) return Buffer.from(part);
      part.copy(into);
      return into.subarray(0, length);
    },
  };
}
