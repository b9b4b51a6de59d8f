import { randomUUID } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import type { EventBus } from '../../events/bus.ts';
import { type Operation, operationChanged, operationNotFound } from './schema.ts';

/** Operations kept for GET; the oldest ended one is dropped first. */
const MAX_OPERATIONS = 64;
/** Smallest progress that is published. */
const PROGRESS_STEP = 0.01;

/** Handle with which a task reports the progress and the end of its operation. Calls after the end are ignored. */
export interface RunningOperation {
  readonly id: string;
  /** @param fraction 0 to 1; smaller than before is ignored */
  progress(fraction: number): void;
  /** @param bytes of the body that have arrived */
  received(bytes: number): void;
  /** The whole body has arrived. */
  arrived(bytes: number): void;
  done(): void;
  fail(error: unknown): void;
}

export interface OperationStart {
  /** A UUID; a random one by default. */
  id?: string | undefined;
  /** Of the content bundle. */
  name?: string | null;
  /** Length of the body in bytes, if it is known. */
  bytesTotal?: number | null;
}

/** Running and recently ended operations (docs/api.md: Uploads and operations). */
export class Operations {
  readonly #bus: EventBus;
  readonly #operations = new Map<string, Operation>();

  constructor(bus: EventBus) {
    this.#bus = bus;
  }

  /** @throws ApiError `conflict` for an id that is known already */
  start(kind: Operation['kind'], { id = randomUUID(), ...body }: OperationStart = {}): RunningOperation {
    if (this.#operations.has(id)) {
      throw new ApiError('conflict', `There is an operation with the id ${id} already.`);
    }
    return this.resume(id, kind, body);
  }

  /** Goes on with an operation that an earlier agent has started. */
  resume(
    id: string,
    kind: Operation['kind'],
    { name = null, bytesTotal = null }: Omit<OperationStart, 'id'> = {},
  ): RunningOperation {
    const operation: Operation = {
      operation_id: id,
      kind,
      state: 'running',
      name,
      progress: 0,
      bytes_done: 0,
      bytes_total: bytesTotal,
    };
    this.#operations.set(id, operation);
    this.#dropOldest();
    this.#publish(operation);
    const end = (change: Partial<Operation>) => {
      if (operation.state !== 'running') return;
      Object.assign(operation, change);
      this.#publish(operation);
    };
    return {
      id,
      progress: (fraction) => {
        const next = Math.min(Math.max(fraction, 0), 1);
        if (operation.state !== 'running' || next < operation.progress + PROGRESS_STEP) return;
        operation.progress = next;
        this.#publish(operation);
      },
      received: (bytes) => {
        operation.bytes_done = bytes;
      },
      arrived: (bytes) => {
        if (operation.state !== 'running') return;
        operation.bytes_done = bytes;
        operation.bytes_total = bytes;
        // The last published progress may be a step older.
        this.#publish(operation);
      },
      done: () => end({ state: 'done', progress: 1 }),
      fail: (error) => {
        const { envelope } = error instanceof ApiError ? error : new ApiError('internal');
        end({ state: 'failed', error: envelope });
      },
    };
  }

  /** @throws ApiError `operation_not_found` for an unknown or expired id */
  get(id: string): Operation {
    const operation = this.#operations.get(id);
    if (!operation) throw new ApiError(operationNotFound);
    return { ...operation };
  }

  #publish(operation: Operation): void {
    this.#bus.emit(operationChanged, { ...operation });
  }

  #dropOldest(): void {
    if (this.#operations.size <= MAX_OPERATIONS) return;
    for (const [id, operation] of this.#operations) {
      if (operation.state === 'running') continue;
      this.#operations.delete(id);
      return;
    }
  }
}
