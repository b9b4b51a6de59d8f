import { ApiError, type ErrorRef } from '../../contract/errors.ts';
import { bundleInvalid } from '../content/schema.ts';

/** Longest quote of the update service's message, in characters. */
const MAX_QUOTE = 300;

/** What the messages of the update service (RAUC) mean, the first match counts. */
const MEANINGS: readonly (readonly [pattern: RegExp, error: ErrorRef, sentence: string])[] = [
  // First: what follows may be a certificate of the server, and the URL may contain anything.
  [
    /^failed to (?:stream|download) bundle/i,
    'unavailable',
    'The bundle could not be fetched from the server.',
  ],
  [/compatible mismatch/i, bundleInvalid, 'The bundle is for another board.'],
  [/version mismatch/i, bundleInvalid, 'The bundle is older than the running version.'],
  // overlay/usr/lib/vitrine/check-bundle
  [
    /pre-install handler.*code 3\b/i,
    bundleInvalid,
    'The bundle is damaged: its content does not have the signed checksum.',
  ],
  // The system's own devices and modules: the signature has been verified before.
  [/failed mounting bundle/i, 'internal', 'The update service could not mount the bundle.'],
  [/no space left/i, 'insufficient_storage', 'The slot or the data partition has no room for the update.'],
  [
    /certificate|signature|\bCMS\b|signer|keyring|trust/i,
    bundleInvalid,
    'The signature of the bundle is not accepted.',
  ],
  [
    /failed to (?:stream|download)|\bnbd\b|\bcurl\b|HTTP/i,
    'unavailable',
    'The bundle could not be fetched from the server.',
  ],
  [
    /squashfs|bundle|manifest|verity|payload|superblock|mount/i,
    bundleInvalid,
    'The file is not a valid update bundle.',
  ],
];

/** The kernel's error for a defective disk, and for a payload that is damaged or that the network does not deliver. */
const IO_ERROR = /input\/output error/i;

/**
 * The error of the contract for a failed installation.
 * @param message the update service's last error; empty if it has ended without one
 * @param isStreamed whether the service has fetched the bundle itself, so that its payload was not checked before
 */
export function installError(message: string, isStreamed: boolean): ApiError {
  if (message === '') {
    return new ApiError('unavailable', 'The installation was interrupted; install the bundle again.');
  }
  const quote = message.replace(/\s+/g, ' ').trim().slice(0, MAX_QUOTE);
  if (IO_ERROR.test(message)) {
    if (!isStreamed && /mounting bundle/i.test(message)) {
      return new ApiError(bundleInvalid, `The bundle is damaged. (${quote})`);
    }
    return isStreamed
      ? new ApiError('internal', `The bundle is damaged, or could not be read or written. (${quote})`)
      : new ApiError('unavailable', `The slot could not be written. (${quote})`);
  }
  const found = MEANINGS.find(([pattern]) => pattern.test(message));
  const [, code, sentence] = found ?? [undefined, 'internal' as const, 'The installation failed.'];
  return new ApiError(code, `${sentence} (${quote})`);
}
