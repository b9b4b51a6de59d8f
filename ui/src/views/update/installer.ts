/**
 * Installs a bundle that the user has chosen. It goes on while another view is shown: what is sent for minutes must not be
 * lost by a look elsewhere.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { RequestError } from '../../../../client/client.ts';
import { Action, until } from '../../app/actions.ts';
import { connection } from '../../app/device-state.ts';
import { ActionError, failureOf } from '../../app/failure.ts';
import { t } from '../../app/texts.ts';
import { advanceTransfer, beginTransfer, type Transfer } from './transfer.ts';
import { followInstallation, installation, type Operation } from './update-state.ts';
import { installFailure } from './update-words.ts';

/** Longest time from the arrival of a bundle to its end: verifying and writing take minutes on a slow card, in ms. */
const INSTALL_MS = 60 * 60_000;

/** How an attempt of the user goes. */
const current = signal<Transfer | undefined>(undefined);
const refused = signal(false);
let canceller: AbortController | undefined;
let wasCancelled = false;

/** The bundle that is being sent. */
export const transfer: ReadonlySignal<Transfer | undefined> = current;

/** Whether the last attempt has ended before the whole bundle had arrived. */
export const hasFailedSending: ReadonlySignal<boolean> = refused;

/** Sends a bundle, and is done when it is installed. Start it by {@link installBundle}. */
export const install = new Action<[file: File]>({
  showsFailure: true,
  run: async (file) => {
    const id = newOperationId();
    const leave = installation.use();
    followInstallation(id);
    try {
      await send(file, id);
      // Its events may have been overtaken by the answer.
      await installation.refresh();
      await until(() => isInstalled(id), INSTALL_MS);
    } finally {
      leave();
    }
  },
});

/** @returns whether it is installed. A failure is in {@link install}, unless the user has cancelled it. */
export async function installBundle(file: File): Promise<boolean> {
  const isDone = await install.start(file);
  if (wasCancelled) install.forget();
  return isDone;
}

/** Ends the sending of a bundle. The device removes what has arrived. */
export function cancelInstall(): void {
  canceller?.abort();
}

/** @throws ActionError with the reason why the device did not take it */
async function send(file: File, id: string): Promise<void> {
  const stop = new AbortController();
  canceller = stop;
  wasCancelled = false;
  refused.value = false;
  current.value = beginTransfer(file.size, performance.now());
  addEventListener('beforeunload', warn);
  try {
    await connection.client.upload('/update/bundle', file, {
      query: { operation_id: id },
      signal: stop.signal,
      onProgress: (sent, total) => {
        const before = current.peek();
        if (before) current.value = advanceTransfer(before, sent, total, performance.now());
      },
    });
  } catch (error) {
    wasCancelled = stop.signal.aborted;
    refused.value = !wasCancelled;
    throw wasCancelled ? error : await whyRefused(error, id);
  } finally {
    current.value = undefined;
    canceller = undefined;
    removeEventListener('beforeunload', warn);
  }
}

/** A device that refuses a bundle from its first bytes on closes the connection; then the operation has the reason. */
async function whyRefused(error: unknown, id: string): Promise<unknown> {
  if (error instanceof RequestError) {
    return installFailure(error.code ?? '', failureOf(error).detail);
  }
  const ended = await connection.client.get('/operations/{id}', { params: { id } }).catch(() => undefined);
  const reason = ended?.error?.error;
  return reason && reason.code !== 'bad_request' ? installFailure(reason.code, reason.message) : error;
}

/** @throws ActionError if it has failed, or if the device does not know it any more */
function isInstalled(id: string): boolean {
  const operation = installation.value.value;
  if (operation === null) throw new ActionError(t('update.failed_interrupted'));
  if (operation?.operation_id !== id) return false;
  if (operation.state === 'failed') throw failureIn(operation);
  return operation.state === 'done';
}

/** Why an installation has failed. */
export function failureIn({ error }: Operation): ActionError {
  return installFailure(error?.error.code ?? '', error?.error.message);
}

/** A UUID of version 4 (RFC 9562). Over plain HTTP browsers have no `crypto.randomUUID`. */
function newOperationId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const variant = '89ab'[(bytes[8] ?? 0) & 3] ?? '8';
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, `$1-$2-4$3-${variant}$4-$5`);
}

/** Closing the page would end the upload. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
