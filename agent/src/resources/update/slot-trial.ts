import type { Logger } from '../../base/logger.ts';
import type { CheckedCall } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import { now } from '../../contract/shared.ts';
import type { EventBus } from '../../events/bus.ts';
import type { Device } from '../device/device.ts';
import { type FleetStatus, STATUS_WHEN_OFF } from './fleet/fleet-status.ts';
import type { Installation } from './installation.ts';
import type { BootSlots, SlotName, SlotReport } from './ports.ts';
import { type UpdateResult, type UpdateStatus, updateChanged } from './schema.ts';
import { isPending, type Moment, otherSlot, slotProblems, slotStates, writing } from './slot-status.ts';
import type { StateFile } from './state-file.ts';
import { isGivenUp, readReason, readTrial, removeRecord, wasStarted, writeTrial } from './trial-record.ts';

/** Longer than a shutdown takes with every time limit of its services, in ms. */
const REBOOT_MS = 300_000;

export interface UpdatesOptions {
  /** On the data partition, for what the system and the agent tell each other about a trial. */
  folder: string;
  slots: BootSlots;
  state: StateFile;
  device: Pick<Device, 'checkEnd' | 'end'>;
  /** Version of the running system. */
  version: string;
  /** The slot that runs, from the kernel's arguments. */
  slot: SlotName;
  /** The kernel's id of this boot. */
  boot: string;
  /** Tells the system's deadline that this boot was found good. */
  noteConfirmed: () => Promise<void>;
  bus: EventBus;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** The slots, and the trial of an updated one from `apply` until it was found good or given up. */
export class Updates {
  readonly #options: UpdatesOptions;
  /** As last read: the update service does not answer while it installs. Undefined before, or without slots. */
  #report: SlotReport | undefined;
  /** False when the update service has found none. */
  #hasSlots = true;
  #versions: Record<SlotName, string | null> = { a: null, b: null };
  #begun: Promise<SlotName | undefined> | undefined;
  #confirmed = false;
  #applying = false;
  /** When `problems` first found that the device has yet to reboot. */
  #rebootingSince: number | undefined;
  /** The end of a trial that this slot is the fallback of could not be stored yet. */
  #endsTrial = false;
  /** State of the fleet client, which needs this object. */
  hawkbit: () => FleetStatus = () => STATUS_WHEN_OFF;
  #installation: Pick<Installation, 'installing' | 'requireNone'> | undefined;

  constructor(options: UpdatesOptions) {
    this.#options = options;
  }

  /** Set once: the installation reports its changes to this object. */
  set installation(installation: Pick<Installation, 'installing' | 'requireNone'>) {
    this.#installation = installation;
  }

  /** @throws ApiError `unavailable` on a system without slots, or while the update service does not answer */
  async requireSlots(): Promise<void> {
    await this.#read();
  }

  /** @throws ApiError `unavailable` while the update service does not answer */
  async status(): Promise<UpdateStatus> {
    const report = await this.#read().catch((error: unknown) => {
      if (this.#hasSlots) throw error;
    });
    if (!report) return this.#withoutSlots();
    const { state, version } = this.#options;
    const states = slotStates(report, state.current, this.#moment());
    const slotOf = (name: SlotName) => ({
      version: name === report.booted ? version : this.#versionOf(report, name),
      state: states[name],
    });
    return {
      active_slot: report.booted,
      slots: { a: slotOf('a'), b: slotOf('b') },
      pending: this.#pendingVersion(report),
      last_result: state.current.last_result,
      hawkbit: this.hawkbit(),
    };
  }

  /** The same slot as `GET /device`, which must name one. */
  #withoutSlots(): UpdateStatus {
    const { slot, version } = this.#options;
    const [own, other] = [{ version, state: 'good' } as const, { version: null, state: 'unknown' } as const];
    const slots = slot === 'a' ? { a: own, b: other } : { a: other, b: own };
    return { active_slot: slot, slots, pending: null, last_result: null, hawkbit: this.hawkbit() };
  }

  /** As sentences for health. */
  problems(): string[] {
    const { problem, current } = this.#options.state;
    const problems = this.#report ? slotProblems(this.#report, current, this.#moment()) : [];
    if (problem !== undefined) problems.unshift(problem);
    return [...problems, ...this.#rebootProblems()];
  }

  #rebootProblems(): string[] {
    this.#rebootingSince = this.rebooting ? (this.#rebootingSince ?? performance.now()) : undefined;
    if (performance.now() - (this.#rebootingSince ?? performance.now()) < REBOOT_MS) return [];
    return ['The update is applied, but the device has not rebooted; apply it again, or reboot the device.'];
  }

  /** @throws ApiError `conflict` from `apply` until the updated slot was found good or given up */
  requireNoTrial(): void {
    const { intent } = this.#options.state.current;
    if (!intent && !this.#applying) return;
    const runs = intent?.slot === this.#report?.booted;
    throw new ApiError(
      'conflict',
      runs
        ? 'The updated slot has not been found good yet; the other slot is still needed.'
        : 'The update is applied: the device is about to reboot.',
    );
  }

  /**
   * Activates the installed update and reboots after the answer was sent.
   * @throws ApiError `conflict` when nothing is installed, or while an installation or a trial runs; `unavailable`
   */
  async apply(afterAnswer: CheckedCall['afterAnswer']): Promise<object> {
    const { device, state } = this.#options;
    this.#installation?.requireNone();
    if (!this.rebooting) {
      this.requireNoTrial();
      this.#applying = true;
      try {
        const report = await this.#read();
        if (!isPending(report, state.current)) throw new ApiError('conflict', 'No update is installed.');
        await device.checkEnd('reboot');
        await this.#activate(report);
      } finally {
        this.#applying = false;
      }
      void this.#announce();
    }
    return await device.end('reboot', afterAnswer);
  }

  /** Whether an update was applied in this boot: the device has yet to reboot. */
  get rebooting(): boolean {
    const { state, boot } = this.#options;
    const { intent } = state.current;
    return intent !== null && intent.slot !== this.#report?.booted && intent.boot === boot && boot !== '';
  }

  /** Whether the running boot was found good. */
  get confirmed(): boolean {
    return this.#confirmed;
  }

  /** The fleet server's action of the installed update. */
  get reference(): string | null {
    return this.#options.state.current.installed?.reference ?? null;
  }

  /** Forgets the installed update: `apply` is refused until another one is installed. */
  async discard(): Promise<void> {
    this.requireNoTrial();
    await this.#options.state.change({ installed: null });
    await this.#announce();
  }

  /**
   * The booted slot. The first call ends a trial that this slot is the fallback of.
   * @returns undefined on a system without slots
   * @throws Error while the update service does not answer; call again
   */
  begin(): Promise<SlotName | undefined> {
    this.#begun ??= this.#begin().catch((error: unknown) => {
      this.#begun = undefined;
      throw error;
    });
    return this.#begun;
  }

  async #begin(): Promise<SlotName | undefined> {
    const { slots, state } = this.#options;
    this.#report = await slots.read();
    if (!this.#report) return undefined;
    await this.#readVersions();
    if (state.isLost) await this.#recoverTrial(this.#report);
    this.#endsTrial = state.current.intent?.slot !== this.#report.booted && !this.rebooting;
    await this.#endTrial(this.#report);
    return this.#report.booted;
  }

  /** The state file could not be used: what the record of a trial says takes its place. */
  async #recoverTrial(report: SlotReport): Promise<void> {
    const { state, folder, log } = this.#options;
    const trial = state.current.intent ? undefined : await readTrial(folder);
    if (!trial) return;
    const { slot, details } = trial;
    const known = details ?? { version: null, activations: 0, boot: '', reference: null };
    // Without details it counts as tried: an update that is tried again by mistake may fail again, without end.
    const intent = {
      ...known,
      slot,
      version: known.version ?? this.#versionOf(report, slot),
      activated: !details,
    };
    const unstored = await state.recover({ intent });
    log.warn({ slot, unstored }, 'the state of an update was lost and is taken from the record of its trial');
  }

  /** Every check has passed: marks the booted slot good and ends its trial. */
  async confirm(): Promise<void> {
    const { slots, state, folder, noteConfirmed, log } = this.#options;
    await slots.markGood();
    await noteConfirmed();
    if (await isGivenUp(folder)) throw new Error('the time limit of this boot is over');
    this.#confirmed = true;
    const { intent } = state.current;
    if (intent && intent.slot === this.#report?.booted) {
      const { slot, version, reference } = intent;
      const result: UpdateResult = { slot, version, outcome: 'success', reason: null, ts: now(), reference };
      await removeRecord(folder);
      await state.change({ intent: null, installed: null, last_result: result });
      log.info({ slot, version }, 'the update has succeeded');
    }
    await this.#announce();
  }

  /** An installation has begun or ended: what the other slot contains has changed. Never rejects. */
  async contentChanged(): Promise<void> {
    if (!this.#moment().installing) await this.#readVersions();
    await this.#announce();
  }

  async #announce(): Promise<void> {
    const status = await this.status().catch(() => undefined);
    if (status) this.#options.bus.emit(updateChanged, status);
  }

  async #readVersions(): Promise<void> {
    const { slots, log } = this.#options;
    try {
      this.#versions = await slots.versions();
    } catch (error) {
      // The bundles' versions take their place.
      this.#versions = { a: null, b: null };
      log.warn({ err: error }, 'the versions of the slots cannot be read');
    }
  }

  #moment(): Moment {
    return { confirmed: this.#confirmed, installing: this.#installation?.installing ?? false };
  }

  /** What the slot's file system says; the bundle's version where that cannot be read. */
  #versionOf({ slots }: SlotReport, name: SlotName): string | null {
    const { content, version } = slots[name];
    return content === 'incomplete' || this.#moment().installing ? null : (this.#versions[name] ?? version);
  }

  #pendingVersion(report: SlotReport): string | null {
    if (this.#moment().installing || !isPending(report, this.#options.state.current)) return null;
    return this.#versionOf(report, otherSlot(report.booted));
  }

  async #read(): Promise<SlotReport> {
    try {
      await this.begin();
      this.#report = await this.#options.slots.read();
    } catch (error) {
      const { slot, log } = this.#options;
      // An agent that has started meanwhile knows only which slot it runs from.
      if (this.#moment().installing) return this.#report ?? writing(slot);
      if (!this.#report) throw new ApiError('unavailable', 'The update service does not answer.');
      log.warn({ err: error }, 'the slots cannot be read');
    }
    this.#hasSlots = this.#report !== undefined;
    if (!this.#report) throw new ApiError('unavailable', 'This system has no slots.');
    await this.#endTrial(this.#report);
    return this.#report;
  }

  /** The intent is on the disk before anything boots differently, and is withdrawn when that fails. */
  async #activate(report: SlotReport): Promise<void> {
    const { booted, slots: facts } = report;
    const { slots, state, folder, log } = this.#options;
    const slot = otherSlot(booted);
    const { installed } = state.current;
    const intent = {
      slot,
      version: this.#versionOf(report, slot),
      activations: facts[slot].activations,
      activated: false,
      boot: this.#options.boot,
      reference: installed?.reference ?? null,
    };
    await removeRecord(folder);
    await state.change({ intent });
    try {
      const { version, activations, boot, reference } = intent;
      await writeTrial(folder, slot, { version, activations, boot, reference });
      // This slot is what the other one falls back to: it must be in the order, with attempts.
      if (!facts[booted].bootable) await slots.activate('booted');
      await slots.markGood();
      await slots.activate('other');
    } catch (error) {
      log.warn({ err: error }, 'the update could not be activated');
      // The service may have done it without being able to say so.
      const after = await slots.read().catch(() => undefined);
      if (!after) {
        const message = 'It is not known whether the slot was activated; apply again, or reboot the device.';
        throw new ApiError('unavailable', message);
      }
      if (!after.slots[slot].bootable) {
        await state.change({ intent: null });
        await removeRecord(folder);
        throw new ApiError(
          'unavailable',
          'The update service could not activate the slot; nothing has changed.',
        );
      }
    }
    // Without it, the number of activations and the record of boots say the same in almost all cases.
    await state
      .change({ intent: { ...intent, activated: true } })
      .catch((error: unknown) => log.warn({ err: error }, 'the activation could not be stored'));
  }

  /** Stores how a trial has ended that this slot is the fallback of, as soon as that is possible. Never rejects. */
  async #endTrial(report: SlotReport): Promise<void> {
    if (!this.#endsTrial) return;
    this.#endsTrial = false;
    try {
      await this.#storeEnd(report);
    } catch (error) {
      this.#endsTrial = true;
      this.#options.log.warn({ err: error }, 'the end of an update could not be stored');
    }
  }

  async #storeEnd({ slots: facts }: SlotReport): Promise<void> {
    const { slots, state, folder, log } = this.#options;
    const { intent } = state.current;
    if (intent) {
      const { slot, version, reference } = intent;
      // Otherwise the power failed in `apply`, before the answer, and the update is still pending.
      const tried =
        intent.activated || facts[slot].activations > intent.activations || (await wasStarted(folder, slot));
      const reason = tried
        ? await readReason(folder, slot)
        : ({ code: 'not_started', message: 'The power failed before the slot was activated.' } as const);
      const outcome = tried ? 'rolled_back' : 'failed';
      const result: UpdateResult = { slot, version, outcome, reason, ts: now(), reference };
      // Else the slot would be tried first again when this one runs out of attempts.
      if (tried) await slots.activate('booted');
      log.warn(
        { slot, version, reason },
        tried ? 'the update was rolled back' : 'the update was not applied',
      );
      await state.change({ intent: null, last_result: result, ...(tried ? { installed: null } : {}) });
    }
    await removeRecord(folder);
  }
}
