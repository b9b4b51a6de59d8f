/** The zip reader: what a bundle may be is decided here, once, for upload, check and serving. */
export type { ZipEntry } from './central.ts';
export { readDirectory, type ZipDirectory } from './directory.ts';
export { checkStart, START_BYTES } from './end-records.ts';
export { type ByteSource, fileSource } from './source.ts';
export { type VerifyOptions, verifyBundle } from './verify.ts';
export { ZipError } from './zip-error.ts';
