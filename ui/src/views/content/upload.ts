/** The upload of a bundle. There is one at a time, which goes on while other views are shown. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { RequestError } from '../../../../client/client.ts';
import { Action, until } from '../../app/actions.ts';
import { connection, content } from '../../app/device-state.ts';
import { ActionError } from '../../app/failure.ts';
import { formatBytes } from '../../app/format.ts';
import { Resource } from '../../app/resource.ts';
import { language, t } from '../../app/texts.ts';
import { toast } from '../../app/toasts.ts';
import type { Chosen } from './chosen.ts';
import { type PackedFile, pack } from './pack.ts';
import { Speed } from './speed.ts';

/** For the device to check what it has got and to put it into place, and for a lost connection to come back. */
const STORE_MS = 15 * 60_000;

export type UploadStage = 'packing' | 'sending' | 'checking';

/** How far the upload is. */
export interface Progress {
  /** Of the bundle. */
  readonly name: string;
  readonly isPacked: boolean;
  readonly stage: UploadStage;
  /** Share of the stage, 0 to 1; undefined while it is not known. */
  readonly done: number | undefined;
  /** Bytes of the stage. */
  readonly bytes: number;
  readonly total: number;
  /** Bytes that are sent in a second; undefined while it is not known. */
  readonly perSecond: number | undefined;
}

/** What is to be uploaded; kept until it is stored or the user chooses something else. */
export const chosen = signal<Chosen | undefined>(undefined);

const current = signal<Progress | undefined>(undefined);
/** Undefined while there is no upload. */
export const progress: ReadonlySignal<Progress | undefined> = current;

let stop = new AbortController();

/** Uploads what was chosen under a name. It has its result when the new bundle is in the list of the device. */
export const uploading = new Action<[chosen: Chosen, name: string]>({ showsFailure: true, run: upload });

/** Stops the upload as long as the device has not received all of it. */
export function cancelUpload(): void {
  stop.abort();
}

async function upload({ picked }: Chosen, name: string): Promise<void> {
  stop = new AbortController();
  const { signal: cancelled } = stop;
  const endContent = content.use();
  addEventListener('beforeunload', warn);
  try {
    const isPacked = picked.kind === 'files';
    if (!isPacked) current.value = beginning(name, isPacked, picked.file.size);
    const body = isPacked ? await packed(picked.files, name, cancelled) : picked.file;
    await requireSpace(body.size);
    cancelled.throwIfAborted();
    await send(name, body, isPacked, cancelled);
    chosen.value = undefined;
    toast('good', t('content.stored', { name }));
  } catch (error) {
    if (!cancelled.aborted) throw error;
    toast('good', t('content.cancelled'));
  } finally {
    current.value = undefined;
    removeEventListener('beforeunload', warn);
    endContent();
  }
}

function beginning(name: string, isPacked: boolean, total: number): Progress {
  return { name, isPacked, stage: 'sending', done: 0, bytes: 0, total, perSecond: undefined };
}

/** The browser asks before the page is closed, which would end the upload. */
function warn(event: Event): void {
  event.preventDefault();
}

async function packed(files: readonly PackedFile[], name: string, cancelled: AbortSignal): Promise<Blob> {
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  const show = (bytes: number): void => {
    const done = total > 0 ? bytes / total : undefined;
    current.value = { name, isPacked: true, stage: 'packing', done, bytes, total, perSecond: undefined };
  };
  show(0);
  return await pack(files, { signal: cancelled, onProgress: show });
}

/** @throws ActionError if the archive cannot fit beside what is stored */
async function requireSpace(bytes: number): Promise<void> {
  await content.refresh();
  const free = content.value.value?.disk.free_bytes;
  if (free === undefined || bytes <= free) return;
  const values = { needed: formatBytes(bytes, language.value), free: formatBytes(free, language.value) };
  throw new ActionError(t('content.no_space', values));
}

async function send(name: string, body: Blob, isPacked: boolean, cancelled: AbortSignal): Promise<void> {
  const id = newId();
  const operation = operationWith(id);
  const before = createdOf(name);
  const shown = { name, isPacked, total: body.size };
  const speed = new Speed();
  let isSent = false;
  current.value = beginning(name, isPacked, body.size);
  const endOperation = operation.use();
  // How far the device is when it has got everything, and from then on.
  let first: number | undefined;
  const endChecking = operation.value.subscribe((state) => {
    if (!isSent || !state || state.bytes_done < body.size) return;
    first ??= state.progress;
    const done = first < 1 ? (state.progress - first) / (1 - first) : 1;
    current.value = { ...shown, stage: 'checking', done, bytes: body.size, perSecond: undefined };
  });
  try {
    await connection.client
      .upload('/content/{name}', body, {
        params: { name },
        query: { operation_id: id },
        headers: { 'content-type': 'application/zip' },
        signal: cancelled,
        onProgress: (bytes, total) => {
          isSent = bytes >= total;
          speed.add(bytes, performance.now());
          current.value = isSent
            ? { ...shown, stage: 'checking', done: undefined, bytes, perSecond: undefined }
            : { ...shown, stage: 'sending', done: bytes / total, bytes, perSecond: speed.perSecond };
        },
      })
      .catch((error: unknown) => {
        // The device goes on with what it has got completely, also if its answer was lost.
        if (!isSent || error instanceof RequestError || cancelled.aborted) throw error;
      });
    await operation.refresh();
    await until(() => isStored(name, before, operation), STORE_MS);
  } finally {
    endChecking();
    endOperation();
  }
}

function operationWith(id: string) {
  return new Resource(connection, {
    load: (client) => client.get('/operations/{id}', { params: { id } }),
    follow: (set) =>
      connection.on('operation', (one) => {
        if (one.operation_id === id) set(one);
      }),
  });
}

/** @throws what the device says about a failure; ActionError if the device has lost the upload */
function isStored(
  name: string,
  before: string | undefined,
  operation: ReturnType<typeof operationWith>,
): boolean {
  const created = createdOf(name);
  if (created !== undefined && created !== before) return true;
  const state = operation.value.value;
  if (state?.state === 'failed') {
    const answer = { status: 500, body: state.error, bytes: new Uint8Array() };
    throw new RequestError('PUT', `/content/${name}`, answer);
  }
  const error = operation.error.value;
  const isLost = error instanceof RequestError && error.code === 'operation_not_found';
  if (state && isLost) throw new ActionError(t('content.lost'));
  return false;
}

/** When the bundle of a name was stored, which is another time after each upload. */
function createdOf(name: string): string | undefined {
  return content.value.value?.bundles.find((bundle) => bundle.name === name)?.created;
}

/** A random UUID. Without HTTPS, browsers have no `crypto.randomUUID`. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  // Version 4, variant 1.
  const hex = `${digits.slice(0, 12)}4${digits.slice(13, 16)}8${digits.slice(17)}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
