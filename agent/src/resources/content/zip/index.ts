/** Reading bundles: which archives are valid is decided here, once, for upload, check and serving. */
export { type Chunks, entryContent, packedContent } from './content.ts';
export { readDirectory, type ZipDirectory } from './directory.ts';
export { checkStart, START_BYTES } from './end-records.ts';
export { type ByteRange, type ByteSource, fileSource } from './source.ts';
export { type VerifyOptions, verifyBundle } from './verify.ts';
export type { ZipEntry } from './zip-entry.ts';
export { ZipError } from './zip-error.ts';
