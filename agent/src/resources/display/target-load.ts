/** A load that the browser tells of: the number of who asked for it, 0 for the page itself, and where it goes. */
interface Told {
  load: number;
  uri: string;
  state?: string;
}

/** Tells the load that brings the target from what the page does on its own, and how far it has come. */
export class TargetLoad {
  readonly #isTarget: (uri: string) => boolean;
  #id = -1;
  /** The browser has not begun with the target, has begun, has its document. */
  #progress: 'asked' | 'begun' | 'there' = 'asked';

  /** @param isTarget whether a document is the target */
  constructor(isTarget: (uri: string) => boolean) {
    this.#isTarget = isTarget;
  }

  /** Nothing that was loaded before brings the target; `id` does, or what is still to be asked for. */
  expect(id = -1): void {
    this.#id = id;
    this.#progress = 'asked';
  }

  /** Whether a load was asked for that is to bring the target. */
  get isAsked(): boolean {
    return this.#id !== -1;
  }

  /** The browser works on it. */
  begun(): void {
    if (this.#progress === 'asked') this.#progress = 'begun';
  }

  /** What came under the target's number is something else: the target itself comes without a number. */
  mistaken(): void {
    this.#id = -1;
    this.#progress = 'begun';
  }

  /** The target is on the screen; from here on its page goes where it likes. */
  arrived(): void {
    this.#progress = 'there';
  }

  /**
   * Whether this is the load that brings the target. One that a newer one replaces just as the browser begins with it
   * takes the newer one's number: the target then comes as if the page had gone there by itself.
   */
  isTargets({ load, uri }: Told): boolean {
    return load === this.#id || (load === 0 && this.#progress === 'begun' && this.#isTarget(uri));
  }

  /** The browser has begun with the target. */
  get isBegun(): boolean {
    return this.#progress !== 'asked';
  }

  /** The target is on the screen. */
  get isThere(): boolean {
    return this.#progress === 'there';
  }

  /** Whether the page before goes elsewhere while the target is on its way, which ends the target's load. */
  isReplaced({ load, state }: Told): boolean {
    return load === 0 && state === 'started' && this.#progress === 'begun';
  }

  /** Whether the page navigates itself. Until the browser has begun with the target, that is the page before. */
  isPages({ load }: Told): boolean {
    return load === 0 && this.#progress !== 'asked';
  }
}
