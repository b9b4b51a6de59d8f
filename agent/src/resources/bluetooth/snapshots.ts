/** Shortest time between two events, in ms. */
const INTERVAL_MS = 250;
/** A gate that opens a little later than the adapter is asked again after this time, in ms. */
const CLOSED_MS = 500;

export interface SnapshotsOptions {
  /** The present state as JSON text; undefined while there is none. */
  snapshot: () => string | undefined;
  /** Whether the endpoints are open. */
  isOpen: () => Promise<boolean>;
  emit: (json: string) => void;
}

/** Emits the state after changes, at most four times a second. The last change is never lost; equal states are left out. */
export class Snapshots {
  readonly #options: SnapshotsOptions;
  #timer: NodeJS.Timeout | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;
  #last: string | undefined;
  #isStopped = false;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  /** Something may have changed. */
  touched(): void {
    this.#after(Math.max(0, this.#lastAt + INTERVAL_MS - performance.now()));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #after(ms: number): void {
    if (this.#isStopped || this.#timer) return;
    this.#timer = setTimeout(() => void this.#emit(), ms).unref();
  }

  async #emit(): Promise<void> {
    const { snapshot, isOpen, emit } = this.#options;
    const open = await isOpen();
    this.#timer = undefined;
    const json = snapshot();
    if (json === undefined || this.#isStopped) {
      this.#last = undefined;
    } else if (!open) {
      this.#last = undefined;
      this.#after(CLOSED_MS);
    } else if (json !== this.#last) {
      this.#last = json;
      this.#lastAt = performance.now();
      emit(json);
    }
  }
}
