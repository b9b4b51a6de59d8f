/** Most entries an archive may have; what a directory of that many takes in memory is some 30 MB. */
export const MAX_ENTRIES = 100_000;

/** Most names, with the folders that no entry stands for. */
export const MAX_NAMES = 200_000;

/** Most bytes of a central directory, which is read whole. */
export const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;

/** Most bytes of an entry's name, and of one segment of it, and most segments. */
export const MAX_NAME_BYTES = 1024;
export const MAX_SEGMENT_BYTES = 255;
export const MAX_DEPTH = 64;

/** An archive (or entry) that claims to unpack to more than this AND to more than `MAX_RATIO` times its size is a bomb. */
export const BOMB_BYTES = 1024 ** 3;
export const MAX_RATIO = 200;

/** Bytes of a central directory that are looked at before the event loop gets its turn: some 500 entries. */
export const DIRECTORY_BYTES_PER_TURN = 48 * 1024;

/** Entries whose local headers are looked at before the event loop gets its turn. */
export const ENTRIES_PER_TURN = 500;
