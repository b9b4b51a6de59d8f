import type { Logger } from '../../base/logger.ts';
import { ApiError } from '../../contract/errors.ts';
import { now } from '../../contract/shared.ts';
import type { Device } from '../device/device.ts';
import type { CheckedCall } from '../route.ts';
import type { BootedSlot } from './boot-confirmation.ts';
import type { FleetTrial, UpdaterState } from './fleet/ports.ts';
import type { BootSlots, SlotName, SlotReport } from './ports.ts';
import type { UpdateResult } from './schema.ts';
import {
  isPending,
  otherSlot,
  type SlotContext,
  type SlotStatus,
  slotProblems,
  slotStatus,
} from './slot-status.ts';
import type { Slots } from './slots.ts';
import type { StateFile } from './state-file.ts';
import { isGivenUp, readReason, readTrial, removeRecord, wasStarted, writeTrial } from './trial-record.ts';

/** Longer than a shutdown takes with every time limit of its services, in ms. */
const REBOOT_MS = 300_000;

export interface SlotTrialOptions {
  /** On the data partition, for what the system and the agent tell each other about a trial. */
  folder: string;
  slots: Slots;
  service: Pick<BootSlots, 'markGood' | 'activate'>;
  state: StateFile;
  device: Pick<Device, 'checkEnd' | 'end'>;
  /** Version of the running system. */
  version: string;
  /** The kernel's id of this boot. */
  boot: string;
  /** Tells the system's deadline that this boot was confirmed. */
  noteConfirmed: () => Promise<void>;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** The trial of an updated slot, from `apply` until it was confirmed or given up. */
export class SlotTrial implements BootedSlot, FleetTrial {
  readonly #options: SlotTrialOptions;
  #confirmed = false;
  #applying = false;
  /** When `problems` first found that the device has yet to reboot. */
  #rebootingSince: number | undefined;
  /** The attempt to settle an earlier trial that is under way. */
  #settling: Promise<SlotName | undefined> | undefined;
  /** `new`: it is not known whether there is an earlier trial to settle. */
  #earlier: 'new' | 'open' | 'settled' = 'new';

  constructor(options: SlotTrialOptions) {
    this.#options = options;
  }

  /**
   * The state of the slots. Waits for an attempt to settle an earlier trial that is under way, and begins none.
   * @throws ApiError `unavailable` while the update service does not answer
   */
  async status(): Promise<SlotStatus> {
    const { slots, state, version } = this.#options;
    await this.#settling?.catch(() => undefined);
    return slotStatus(slots, await slots.read(), state.current, this.#context(), version);
  }

  /** For the fleet client, which must learn how an earlier trial has ended. */
  async state(): Promise<UpdaterState> {
    await this.#trySettling();
    const { active_slot, slots, pending, last_result: result } = await this.status();
    return {
      version: slots[active_slot].version ?? '',
      pending: pending === null ? null : { version: pending, reference: this.#reference },
      lastResult: result && { ...result, version: result.version ?? '' },
      confirmed: this.#confirmed,
      rebooting: this.#rebooting,
    };
  }

  /** As sentences for health. */
  problems(): string[] {
    const { state, slots } = this.#options;
    const problems = slots.last ? slotProblems(slots.last, state.current, this.#context()) : [];
    if (state.problem !== undefined) problems.unshift(state.problem);
    return [...problems, ...this.#rebootProblems()];
  }

  #rebootProblems(): string[] {
    this.#rebootingSince = this.#rebooting ? (this.#rebootingSince ?? performance.now()) : undefined;
    if (performance.now() - (this.#rebootingSince ?? performance.now()) < REBOOT_MS) return [];
    return ['The update is applied, but the device has not rebooted; apply it again, or reboot the device.'];
  }

  /** @throws ApiError `unavailable` on a system without slots, or while the update service does not answer */
  async requireSlots(): Promise<void> {
    await this.#trySettling();
    await this.#options.slots.require();
  }

  /** @throws ApiError `conflict` from `apply` until the updated slot was confirmed or given up */
  requireNoTrial(): void {
    const { state, slots } = this.#options;
    const { intent } = state.current;
    if (!intent && !this.#applying) return;
    throw new ApiError(
      'conflict',
      intent?.slot === slots.booted
        ? 'The updated slot is not confirmed yet; the other slot is still needed.'
        : 'The update is applied: the device is about to reboot.',
    );
  }

  /**
   * Activates the installed update and reboots after the answer was sent.
   * @throws ApiError `conflict` when nothing is installed, or while an installation or a trial runs; `unavailable`
   */
  async apply(afterAnswer: CheckedCall['afterAnswer']): Promise<object> {
    const { device, state, slots } = this.#options;
    await this.#trySettling();
    slots.requireUnused();
    if (!this.#rebooting) {
      this.requireNoTrial();
      this.#applying = true;
      try {
        const report = await slots.require();
        if (!isPending(report, state.current)) throw new ApiError('conflict', 'No update is installed.');
        await device.checkEnd('reboot');
        await this.#activate(report);
      } finally {
        this.#applying = false;
      }
      void slots.changed();
    }
    return await device.end('reboot', afterAnswer);
  }

  async applyInstalled(reference: string): Promise<void> {
    if (this.#reference !== reference) throw new ApiError('conflict', 'Another update is installed.');
    await this.apply((reboot) => reboot());
  }

  /** Whether an update was applied in this boot: the device has yet to reboot. */
  get #rebooting(): boolean {
    const { state, slots, boot } = this.#options;
    const { intent } = state.current;
    return intent !== null && intent.slot !== slots.booted && intent.boot === boot && boot !== '';
  }

  /** The fleet server's action of the installed update. */
  get #reference(): string | null {
    return this.#options.state.current.installed?.reference ?? null;
  }

  /** Forgets the update that was installed with a reference: `apply` is refused until another one is installed. */
  async discard(reference: string): Promise<void> {
    if (this.#reference !== reference) return;
    this.requireNoTrial();
    await this.#options.state.change({ installed: null });
    await this.#options.slots.changed();
  }

  settleEarlierTrial(): Promise<SlotName | undefined> {
    this.#settling ??= this.#settle().finally(() => {
      this.#settling = undefined;
    });
    return this.#settling;
  }

  /** Never rejects. */
  async #trySettling(): Promise<void> {
    if (this.#earlier !== 'settled') await this.settleEarlierTrial().catch(() => undefined);
  }

  async #settle(): Promise<SlotName | undefined> {
    const { slots, state, log } = this.#options;
    if (this.#earlier === 'settled') return slots.booted;
    const report = await slots.refresh();
    if (!report) return undefined;
    if (this.#earlier === 'new') {
      await slots.readVersions();
      if (state.isLost) await this.#recoverTrial(report);
      const isOwn = state.current.intent?.slot === report.booted;
      this.#earlier = isOwn || this.#rebooting ? 'settled' : 'open';
    }
    if (this.#earlier === 'open') {
      try {
        await this.#storeEnd(report);
        this.#earlier = 'settled';
      } catch (error) {
        log.warn({ err: error }, 'the end of an update could not be stored');
      }
    }
    return report.booted;
  }

  /** The state file could not be used: what the record of a trial says takes its place. */
  async #recoverTrial(report: SlotReport): Promise<void> {
    const { state, slots, folder, log } = this.#options;
    const trial = state.current.intent ? undefined : await readTrial(folder);
    if (!trial) return;
    const { slot, details } = trial;
    const known = details ?? { version: null, activations: 0, boot: '', reference: null };
    // Without details it counts as tried: an update that is tried again by mistake may fail again, without end.
    const intent = {
      ...known,
      slot,
      version: known.version ?? slots.versionOf(report, slot),
      activated: !details,
    };
    const unstored = await state.recover({ intent });
    log.warn({ slot, unstored }, 'the state of an update was lost and is taken from the record of its trial');
  }

  async confirm(): Promise<void> {
    const { slots, service, state, folder, noteConfirmed, log } = this.#options;
    await service.markGood();
    await noteConfirmed();
    if (await isGivenUp(folder)) throw new Error('the time limit of this boot is over');
    this.#confirmed = true;
    const { intent } = state.current;
    if (intent && intent.slot === slots.booted) {
      const { slot, version, reference } = intent;
      const result: UpdateResult = { slot, version, outcome: 'success', reason: null, ts: now(), reference };
      await removeRecord(folder);
      await state.change({ intent: null, installed: null, last_result: result });
      log.info({ slot, version }, 'the update has succeeded');
    }
    await this.#trySettling();
    await slots.changed();
    if (this.#earlier === 'open') throw new Error('the end of an update could not be stored');
  }

  #context(): SlotContext {
    return { confirmed: this.#confirmed, installing: this.#options.slots.installing };
  }

  /** The intent is on the disk before anything boots differently, and is withdrawn when that fails. */
  async #activate(report: SlotReport): Promise<void> {
    const { booted, slots: facts } = report;
    const { slots, service, state, folder, log } = this.#options;
    const slot = otherSlot(booted);
    const { installed } = state.current;
    const intent = {
      slot,
      version: slots.versionOf(report, slot),
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
      if (!facts[booted].bootable) await service.activate('booted');
      await service.markGood();
      await service.activate('other');
    } catch (error) {
      log.warn({ err: error }, 'the update could not be activated');
      // The service may have done it without being able to say so.
      const after = await slots.refresh().catch(() => undefined);
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

  /** Stores how a trial has ended that this slot is the fallback of. */
  async #storeEnd({ slots: facts }: SlotReport): Promise<void> {
    const { service, state, folder, log } = this.#options;
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
      if (tried) await service.activate('booted');
      log.warn(
        { slot, version, reason },
        tried ? 'the update was rolled back' : 'the update was not applied',
      );
      await state.change({ intent: null, last_result: result, ...(tried ? { installed: null } : {}) });
    }
    await removeRecord(folder);
  }
}
