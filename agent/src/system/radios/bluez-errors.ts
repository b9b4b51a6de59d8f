import { ApiError } from '../../contract/errors.ts';
import { BusError } from '../dbus/values.ts';

const BLUEZ = 'org.bluez.Error';
const BUS = 'org.freedesktop.DBus.Error';
/** Longest text of BlueZ that is passed on, in characters. */
const MAX_TEXT = 200;

export const RADIO_BLOCKED = 'The Bluetooth radio is blocked (rfkill).';
const GONE = 'The Bluetooth device or the adapter is gone.';
const ENDED = 'The Bluetooth service has ended; it is started again.';
const BUSY = 'The Bluetooth adapter is busy; try again.';

/** Sentences for errors of BlueZ (src/error.c, src/device.c there) and of the bus. */
const REASONS: Readonly<Record<string, string>> = {
  [`${BLUEZ}.Blocked`]: RADIO_BLOCKED,
  [`${BLUEZ}.AuthenticationFailed`]:
    'Pairing failed: the device refused it, or the number was not typed correctly.',
  [`${BLUEZ}.AuthenticationRejected`]: 'The device rejected the pairing.',
  [`${BLUEZ}.AuthenticationCanceled`]: 'The device ended the pairing, or the connection was lost.',
  [`${BLUEZ}.AuthenticationTimeout`]:
    'The device did not answer the pairing in time; a number may have to be typed on it.',
  [`${BLUEZ}.ConnectionAttemptFailed`]:
    'The device cannot be reached: it is switched off, out of range, or not in its pairing mode.',
  [`${BLUEZ}.InProgress`]: BUSY,
  [`${BLUEZ}.Busy`]: BUSY,
  [`${BLUEZ}.NotReady`]: 'The Bluetooth adapter is not ready; it may be powered off.',
  [`${BLUEZ}.DoesNotExist`]: GONE,
  [`${BUS}.UnknownObject`]: GONE,
  [`${BUS}.UnknownMethod`]: GONE,
  [`${BUS}.NoReply`]: ENDED,
  [`${BUS}.ServiceUnknown`]: ENDED,
  [`${BUS}.NameHasNoOwner`]: ENDED,
  'vitrine.Disconnected': ENDED,
  'vitrine.Timeout': 'The Bluetooth service does not answer.',
};

/** Whether an error is one of BlueZ with this last part of its name. */
export function isBluezError(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof BusError && names.some((name) => error.errorName === `${BLUEZ}.${name}`);
}

/** The API error for a failed call of BlueZ. */
export function bluezError(error: unknown): unknown {
  if (!(error instanceof BusError)) return error;
  const { errorName, message } = error;
  return new ApiError(
    'unavailable',
    REASONS[errorName] ?? `The Bluetooth service refused: ${message.slice(0, MAX_TEXT)}`,
  );
}
