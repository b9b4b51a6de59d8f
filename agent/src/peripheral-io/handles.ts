import type { IoEvent } from './driver.ts';
import { CommandError } from './errors.ts';

/** Handles that are open or opening. */
export const MAX_HANDLES = 16;
/** Commands of one handle that are not answered. */
export const MAX_PENDING = 32;
/** Data of all commands that are not answered, in bytes. */
export const MAX_PENDING_BYTES = 8 * 1024 * 1024;

export interface Closable {
  /** Ends what is pending and frees the peripheral. Does not reject. */
  close(): Promise<void>;
}

interface Entry<T> {
  node: string;
  item: T | undefined;
  /** Opening it has ended. */
  opened: Promise<void>;
  pending: number;
  /** Set once, by whatever closes it. */
  closing: Promise<void> | undefined;
  /** Why it does not work any more. */
  lost: string | undefined;
}

/** The open peripherals by the handle that the agent chose. @typeParam T one that is open */
export class Handles<T extends Closable> {
  readonly #emit: (event: IoEvent) => void;
  readonly #entries = new Map<number, Entry<T>>();
  #pendingBytes = 0;

  constructor(emit: (event: IoEvent) => void) {
    this.#emit = emit;
  }

  /**
   * Opens a node, after it was closed if that is going on.
   * @param open is not called if the node is open or there are too many handles
   * @throws CommandError, also `AbortError` if the handle was closed meanwhile; what `open` throws
   */
  async open(handle: number, node: string, open: () => Promise<T>): Promise<void> {
    if (this.#entries.has(handle)) throw new CommandError('InvalidStateError', 'The handle is in use.');
    if (this.#entries.size >= MAX_HANDLES) {
      throw new CommandError('NetworkError', `${MAX_HANDLES} peripherals are open.`);
    }
    const { promise: opened, resolve } = Promise.withResolvers<void>();
    const entry: Entry<T> = {
      node,
      item: undefined,
      opened,
      pending: 0,
      closing: undefined,
      lost: undefined,
    };
    const others = [...this.#entries.values()].filter((other) => other.node === node);
    if (others.some(({ closing }) => !closing)) {
      throw new CommandError('InvalidStateError', 'The peripheral is open.');
    }
    this.#entries.set(handle, entry);
    try {
      await Promise.all(others.map(({ closing }) => closing));
      const item = entry.closing ? undefined : await open();
      if (!entry.closing) {
        entry.item = item;
        return;
      }
      await item?.close();
      throw new CommandError('AbortError', 'It was closed while it was opened.');
    } finally {
      if (!entry.item) this.#entries.delete(handle);
      resolve();
    }
  }

  /**
   * Does something with an open peripheral.
   * @param bytes how much data it holds
   * @throws CommandError `InvalidStateError` if it is not open, `AbortError` if it was closed meanwhile, `NetworkError` if it
   * was unplugged meanwhile; what `work` throws
   */
  async run<R>(handle: number, work: (item: T) => Promise<R>, bytes = 0): Promise<R> {
    const entry = this.#entries.get(handle);
    if (!entry?.item || entry.closing) {
      throw new CommandError('InvalidStateError', 'The peripheral is not open.');
    }
    if (entry.pending >= MAX_PENDING || this.#pendingBytes + bytes > MAX_PENDING_BYTES) {
      throw new CommandError('OperationError', 'Too many operations wait.');
    }
    entry.pending += 1;
    this.#pendingBytes += bytes;
    try {
      return await work(entry.item);
    } catch (error) {
      const { closing, lost } = entry;
      if (lost !== undefined) throw new CommandError('NetworkError', lost, { cause: error });
      if (closing) throw new CommandError('AbortError', 'It was closed.', { cause: error });
      throw error;
    } finally {
      entry.pending -= 1;
      this.#pendingBytes -= bytes;
    }
  }

  /** The handle of an open peripheral that fits. */
  find(fits: (item: T) => boolean): number | undefined {
    for (const [handle, { item, closing }] of this.#entries)
      if (item && !closing && fits(item)) return handle;
    return undefined;
  }

  /** Does nothing for a handle that is not open. */
  async close(handle: number): Promise<void> {
    const entry = this.#entries.get(handle);
    if (!entry) return;
    entry.closing ??= this.#end(handle, entry);
    await entry.closing;
  }

  /** The peripheral does not work any more. Reported once, and not while it is closed. */
  lose(handle: number, reason: string): void {
    const entry = this.#entries.get(handle);
    if (!entry?.item || entry.closing) return;
    entry.lost = reason;
    entry.closing = this.#end(handle, entry);
    this.#emit({ event: 'closed', handle, reason });
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((handle) => this.close(handle)));
  }

  /** One that is opening is closed by `open`. */
  async #end(handle: number, { item, opened }: Entry<T>): Promise<void> {
    if (!item) {
      await opened;
      return;
    }
    await item.close();
    this.#entries.delete(handle);
  }
}
