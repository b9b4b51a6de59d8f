import { API_VERSION } from '../../contract/api.ts';
import { ApiError } from '../../contract/errors.ts';
import { badRequest } from '../../contract/issues.ts';
import { parseTime } from '../../contract/shared.ts';
import type { EventBus } from '../../events/bus.ts';
import { atMost } from '../at-most.ts';
import { type CheckedCall, type Route, serve } from '../route.ts';
import type { HealthMonitor } from './health.ts';
import { metricsText } from './metrics.ts';
import type { DevicePorts, PowerAction } from './ports.ts';
import * as contract from './schema.ts';
import { confirmMismatch } from './schema.ts';

/** How long measured capabilities are reused, in ms: touch screens come and go. */
const CAPABILITIES_AGE_MS = 2000;
/** Each reader is a journalctl process. */
const MAX_LOG_READERS = 8;

export interface DeviceOptions
  extends Pick<DevicePorts, 'identity' | 'hardware' | 'journal' | 'power' | 'dataReset'> {
  bus: EventBus;
  /** `model_profile`: the agent's board profile. */
  profile: string;
  /** `device.name` of the configuration. */
  name: () => string;
  onError: (error: unknown) => void;
}

type AfterAnswer = CheckedCall['afterAnswer'];

/** The device as a whole. */
export class Device {
  readonly #options: DeviceOptions;
  /** Stops producing the log topic. */
  readonly stop: () => void;
  #capabilities: Promise<contract.Capabilities> | undefined;
  #measured = 0;
  readonly #conditions: (() => void)[] = [];
  readonly #nameListeners = new Set<() => Promise<void>>();

  constructor(options: DeviceOptions) {
    this.#options = options;
    const { bus, journal } = options;
    this.stop = bus.produceOnDemand(contract.logWritten, () =>
      journal.follow((record) => bus.emit(contract.logWritten, record)),
    );
  }

  async get(): Promise<contract.Device> {
    const { identity, profile, name } = this.#options;
    const capabilities = await this.#currentCapabilities();
    return { ...identity, name: name(), model_profile: profile, api: API_VERSION, capabilities };
  }

  /**
   * Reads records of the log, oldest first.
   * @param query `since`: a cursor or a time; `limit`: 100 by default; `level`: the lowest one; `source`: a program
   * @throws ApiError `bad_request` for an invalid time or an unknown cursor; `unavailable` without a journal
   */
  async logs({ since, limit = 100, ...wanted }: contract.LogsQuery): Promise<contract.LogRecord[]> {
    const { journal } = this.#options;
    if (since === undefined) return journal.read({ ...wanted, limit });
    if (since.startsWith('s=')) return journal.read({ ...wanted, after: since, limit });
    const from = parseTime(since);
    if (from === undefined) throw badRequest('', [{ path: '/since', message: 'is not a valid time' }]);
    return journal.read({ ...wanted, from, limit });
  }

  /** @param condition called before every reboot, shutdown and factory reset; it throws an ApiError to refuse it */
  addCondition(condition: () => void): void {
    this.#conditions.push(condition);
  }

  /** Calls `listener` after `device.name` has changed, until the returned function is called. */
  onNameChanged(listener: () => Promise<void>): () => void {
    this.#nameListeners.add(listener);
    return () => this.#nameListeners.delete(listener);
  }

  /** Resolves when whatever has the device's name has the new one. @throws what a listener throws */
  async nameChanged(): Promise<void> {
    await Promise.all([...this.#nameListeners].map((listener) => listener()));
  }

  /** @throws ApiError `unavailable` when the system cannot do that; what a condition throws */
  async checkEnd(action: PowerAction): Promise<void> {
    for (const condition of this.#conditions) condition();
    await this.#options.power.check(action);
  }

  /** Reboots or powers off after the answer was sent. @throws ApiError as `checkEnd` does */
  async end(action: PowerAction, afterAnswer: AfterAnswer) {
    const { power, onError } = this.#options;
    await this.checkEnd(action);
    afterAnswer(() => void power.perform(action).catch(onError));
    return {};
  }

  /**
   * Requests an empty data partition for the next boot, and reboots after the answer was sent.
   * @throws ApiError `confirm_mismatch` unless `confirm` is the device's serial; `unavailable`;
   *   `insufficient_storage` when the data partition has no room for the request's flag
   */
  async factoryReset(confirm: string, afterAnswer: AfterAnswer) {
    const { identity, dataReset, onError } = this.#options;
    if (confirm !== identity.serial) throw new ApiError(confirmMismatch);
    await dataReset.check();
    await this.checkEnd('reboot');
    afterAnswer(() => void this.#resetAndReboot().catch(onError));
    return {};
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

  #currentCapabilities(): Promise<contract.Capabilities> {
    const now = performance.now();
    if (!this.#capabilities || now - this.#measured > CAPABILITIES_AGE_MS) {
      this.#capabilities = this.#options.hardware.capabilities();
      this.#measured = now;
    }
    return this.#capabilities;
  }
}

export function deviceRoutes(device: Device, health: HealthMonitor): Route[] {
  const readLog = atMost(MAX_LOG_READERS, 'readers of the log');
  return [
    serve(contract.getDevice, () => device.get()),
    serve(contract.getHealth, () => health.snapshot()),
    serve(contract.getMetrics, async () =>
      Buffer.from(metricsText(await device.get(), await health.snapshot())),
    ),
    serve(contract.getLogs, ({ query }) => readLog(() => device.logs(query))),
    serve(contract.reboot, ({ afterAnswer }) => device.end('reboot', afterAnswer)),
    serve(contract.shutdown, ({ afterAnswer }) => device.end('shutdown', afterAnswer)),
    serve(contract.factoryReset, ({ body, afterAnswer }) => device.factoryReset(body.confirm, afterAnswer)),
  ];
}
