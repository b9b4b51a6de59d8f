import type { Logger } from '../../base/logger.ts';
import { ApiError } from '../../contract/errors.ts';
import type { BootSlots, SlotName, SlotReport } from './ports.ts';

/** What the inactive slot is used for. `receiving`: its update arrives, and nothing is written yet. */
type SlotUse = 'none' | 'receiving' | 'installing';

/** The slots as the update service reports them, and what the inactive one is used for. Reading changes nothing. */
export class Slots {
  /** The slot that runs, from the kernel's arguments. */
  readonly booted: SlotName;
  readonly #service: Pick<BootSlots, 'read' | 'versions'>;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #listeners: (() => Promise<void>)[] = [];
  #last: SlotReport | undefined;
  #versions: Record<SlotName, string | null> = { a: null, b: null };
  #use: SlotUse = 'none';

  constructor(service: Pick<BootSlots, 'read' | 'versions'>, booted: SlotName, log: Pick<Logger, 'warn'>) {
    this.#service = service;
    this.booted = booted;
    this.#log = log;
  }

  /** As last read: the update service does not answer while it installs. Undefined before, or without slots. */
  get last(): SlotReport | undefined {
    return this.#last;
  }

  /** Whether the inactive slot is being written. */
  get installing(): boolean {
    return this.#use === 'installing';
  }

  /** Begins or ends a use of the inactive slot. */
  setUse(use: SlotUse): void {
    this.#use = use;
  }

  /** @throws ApiError `conflict` while a bundle is received or installed */
  requireUnused(): void {
    if (this.#use === 'none') return;
    const what = this.installing ? 'An update is being installed.' : 'An update is being received.';
    throw new ApiError('conflict', what);
  }

  /** Calls a listener after every change of the slots, and waits for it. It must not reject. */
  onChange(listener: () => Promise<void>): void {
    this.#listeners.push(listener);
  }

  async changed(): Promise<void> {
    for (const listener of this.#listeners) await listener();
  }

  /** An installation has begun or ended: what the other slot contains has changed. Never rejects. */
  async contentChanged(): Promise<void> {
    if (!this.installing) await this.readVersions();
    await this.changed();
  }

  async readVersions(): Promise<void> {
    try {
      this.#versions = await this.#service.versions();
    } catch (error) {
      // The bundles' versions take their place.
      this.#versions = { a: null, b: null };
      this.#log.warn({ err: error }, 'the versions of the slots cannot be read');
    }
  }

  /** What the slot's file system says; the bundle's version where that cannot be read. */
  versionOf({ slots }: SlotReport, name: SlotName): string | null {
    const { content, version } = slots[name];
    return content === 'incomplete' || this.installing ? null : (this.#versions[name] ?? version);
  }

  /** What the update service says now; undefined on a system without slots. @throws Error while it does not answer */
  async refresh(): Promise<SlotReport | undefined> {
    this.#last = await this.#service.read();
    return this.#last;
  }

  /**
   * What is known now; undefined on a system without slots.
   * @throws ApiError `unavailable` while the update service does not answer, and has not before
   */
  async read(): Promise<SlotReport | undefined> {
    try {
      return await this.refresh();
    } catch (error) {
      // An agent that has started meanwhile knows only which slot it runs from.
      if (this.installing) return this.#last ?? writing(this.booted);
      if (!this.#last) throw new ApiError('unavailable', 'The update service does not answer.');
      this.#log.warn({ err: error }, 'the slots cannot be read');
      return this.#last;
    }
  }

  /** @throws ApiError `unavailable`, also on a system without slots */
  async require(): Promise<SlotReport> {
    const report = await this.read();
    if (!report) throw new ApiError('unavailable', 'This system has no slots.');
    return report;
  }
}

/** All that is known while the other slot is written. */
function writing(booted: SlotName): SlotReport {
  const facts = { version: null, installations: 0, activations: 0 };
  const other = { ...facts, bootable: false, content: 'incomplete' } as const;
  const own = { ...facts, bootable: true, content: 'unknown' } as const;
  return { booted, slots: booted === 'a' ? { a: own, b: other } : { a: other, b: own } };
}
