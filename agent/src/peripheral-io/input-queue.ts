/** Input reports that wait for the agent; at most 2 KiB each. */
const MAX_WAITING = 256;

export interface InputQueueOptions {
  /** Whether the agent has read enough to get another report. */
  hasRoom(): boolean;
  send(report: object): void;
  /** Called once each time that the queue begins to drop reports. */
  dropping(): void;
}

/** Passes input reports on in order. While the agent reads too slowly, the newest ones wait and older ones are dropped. */
export class InputQueue {
  readonly #options: InputQueueOptions;
  #waiting: object[] = [];
  #isDropping = false;

  constructor(options: InputQueueOptions) {
    this.#options = options;
  }

  push(report: object): void {
    this.#waiting.push(report);
    this.flush();
    if (this.#waiting.length <= MAX_WAITING) return;
    this.#waiting.shift();
    if (!this.#isDropping) this.#options.dropping();
    this.#isDropping = true;
  }

  /** Sends what there is room for. */
  flush(): void {
    while (this.#waiting.length > 0 && this.#options.hasRoom()) {
      const report = this.#waiting.shift();
      if (report) this.#options.send(report);
      this.#isDropping = false;
    }
  }

  clear(): void {
    this.#waiting = [];
  }
}
