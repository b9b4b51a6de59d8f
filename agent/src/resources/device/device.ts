import { API_VERSION } from '../../contract/api.ts';
import { ApiError } from '../../contract/errors.ts';
import { parseTime } from '../../contract/shared.ts';
import { badRequest } from '../../contract/validate.ts';
import type { EventBus } from '../../events/bus.ts';
import type { DataReset, Hardware, Identity, Journal, Power, PowerAction } from './ports.ts';
import { type Capabilities, type Device as DeviceState, type LogRecord, logWritten } from './schema.ts';

/** How long measured capabilities are reused, in ms: touch screens come and go. */
const CAPABILITIES_AGE_MS = 2000;

export interface DeviceOptions {
  bus: EventBus;
  identity: Identity;
  /** `model_profile`: the agent's board profile. */
  profile: string;
  /** `device.name` of the configuration. */
  name: () => string;
  hardware: Hardware;
  journal: Journal;
  power: Power;
  dataReset: DataReset;
  onError: (error: unknown) => void;
}

/** Takes an action that runs after the answer was sent. */
type AfterAnswer = (action: () => void) => void;

/** The device as a whole (interface: Resources, Device). */
export class Device {
  readonly #options: DeviceOptions;
  readonly #unregister: () => void;
  #capabilities: Promise<Capabilities> | undefined;
  #measured = 0;

  constructor(options: DeviceOptions) {
    this.#options = options;
    const { bus, journal } = options;
    this.#unregister = bus.produceOnDemand(logWritten, () =>
      journal.follow((record) => bus.emit(logWritten, record)),
    );
  }

  async get(): Promise<DeviceState> {
    const { identity, profile, name } = this.#options;
    return {
      serial: identity.serial,
      name: name(),
      model: identity.model,
      model_profile: profile,
      version: identity.version,
      slot: identity.slot,
      api: API_VERSION,
      capabilities: await this.#currentCapabilities(),
    };
  }

  /**
   * Reads records of the log, oldest first.
   * @param query `since`: a cursor or a time; `limit`: 100 by default
   * @throws ApiError `bad_request` for an invalid time or an unknown cursor; `unavailable` without a journal
   */
  async logs({ since, limit = 100 }: { since?: string; limit?: number }): Promise<LogRecord[]> {
    if (since === undefined) return this.#options.journal.read({ limit });
    if (since.startsWith('s=')) return this.#options.journal.read({ after: since, limit });
    const from = parseTime(since);
    if (from === undefined) throw badRequest('', [{ path: '/since', message: 'is not a valid time' }]);
    return this.#options.journal.read({ from, limit });
  }

  /**
   * Reboots or powers off after the answer was sent.
   * @throws ApiError `unavailable` when the system cannot
   */
  async end(action: PowerAction, afterAnswer: AfterAnswer): Promise<void> {
    const { power, onError } = this.#options;
    await power.check(action);
    afterAnswer(() => void power.perform(action).catch(onError));
  }

  /**
   * Requests an empty data partition for the next boot, and reboots after the answer was sent.
   * @throws ApiError `confirm_mismatch` unless `confirm` is the device's serial; `unavailable`;
   *   `insufficient_storage` when the data partition has no room for the request's flag
   */
  async factoryReset(confirm: string, afterAnswer: AfterAnswer): Promise<void> {
    const { identity, power, dataReset, onError } = this.#options;
    if (confirm !== identity.serial) throw new ApiError('confirm_mismatch');
    await dataReset.check();
    await power.check('reboot');
    afterAnswer(() => void this.#resetAndReboot().catch(onError));
  }

  /** Withdraws the request when the reboot fails: a later reboot must not erase the data unexpectedly. */
  async #resetAndReboot(): Promise<void> {
    const { power, dataReset } = this.#options;
    await dataReset.request();
    try {
      await power.perform('reboot');
    } catch (error) {
      await dataReset.withdraw();
      throw error;
    }
  }

  stop(): void {
    this.#unregister();
  }

  #currentCapabilities(): Promise<Capabilities> {
    const now = performance.now();
    if (!this.#capabilities || now - this.#measured > CAPABILITIES_AGE_MS) {
      this.#capabilities = this.#options.hardware.capabilities();
      this.#measured = now;
    }
    return this.#capabilities;
  }
}
