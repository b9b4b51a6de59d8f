/** Receives and verifies an uploaded bundle. */
import type { Readable } from 'node:stream';
import { type Received, receive } from '../../uploads/receive.ts';
import { TemporaryFile, type TemporaryFileOptions } from '../../uploads/temporary-file.ts';
import type { RunningOperation } from '../operations/operations.ts';
import { checkStart, START_BYTES } from './zip/end-records.ts';
import { fileSource } from './zip/source.ts';
import { verifyBundle } from './zip/verify.ts';

/** Progress of the operation when the body has arrived, and when it has been verified. */
const ARRIVED = 0.7;
const VERIFIED = 0.95;

/** An archive in a temporary file. Ends with `file.keep` or `file.discard`. */
export interface BundleUpload extends Received {
  file: TemporaryFile;
  operation: RunningOperation;
  /** Settles when the file has been flushed to the disk, which goes on while it is verified. */
  synced: Promise<void>;
}

/**
 * Receives an archive into a temporary file and verifies it. On failure the file has been removed.
 * @param startOperation called when the space has been reserved and the body is about to be read
 * @throws ApiError as `receive` and TemporaryFile do; ZipError; the reason of `signal`
 */
export async function receiveBundle(
  body: Readable,
  fileOptions: TemporaryFileOptions,
  signal: AbortSignal,
  startOperation: () => RunningOperation,
): Promise<BundleUpload> {
  const file = await TemporaryFile.create(fileOptions);
  let synced: Promise<void> = Promise.resolve();
  try {
    const operation = startOperation();
    const received = await receive(body, file, {
      announced: fileOptions.announced,
      inspectStart: { bytes: START_BYTES, inspect: checkStart },
      progress: (fraction, bytes) => {
        operation.received(bytes);
        operation.progress(fraction * ARRIVED);
      },
      signal,
    });
    operation.arrived(received.size);
    operation.progress(ARRIVED);
    synced = file.sync();
    synced.catch(() => undefined);
    await verifyBundle(fileSource(file.handle, received.size), {
      signal,
      progress: (fraction) => operation.progress(ARRIVED + fraction * (VERIFIED - ARRIVED)),
    });
    return { file, operation, synced, ...received };
  } catch (error) {
    await synced.catch(() => undefined);
    await file.discard();
    throw error;
  }
}
