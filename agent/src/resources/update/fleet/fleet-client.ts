import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Board } from '../../../base/board.ts';
import type { Logger } from '../../../base/logger.ts';
import { Driver } from '../../../base/machine.ts';
import { errorMessage } from '../../../base/system-error.ts';
import { ApiError } from '../../../contract/errors.ts';
import { now } from '../../../contract/shared.ts';
import type { FleetConfig } from './config.ts';
import { BundleFailure, DdiClient, failureOf } from './ddi-client.ts';
import type { Artifact } from './ddi-messages.ts';
import { keyOf, serverOf } from './ddi-server.ts';
import { FleetFile } from './fleet-file.ts';
import { fleetMachine } from './fleet-machine.ts';
import {
  type DdiRequest,
  type FleetEffect,
  type FleetEvent,
  type FleetState,
  type InstallFailure,
  initialState,
  NOTHING_STORED,
  referenceOf,
  type Stored,
  type TimerName,
  type Timing,
} from './fleet-state.ts';
import { problemsOf, STATUS_WHEN_OFF, statusOf } from './fleet-status.ts';
import type { FleetInstaller, FleetTrial } from './ports.ts';
import type { FleetStatus } from './schema.ts';
import { withoutToken } from './secrets.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

export const FLEET_TIMING: Timing = {
  pollMs: { shortest: 5 * SECOND, longest: 24 * 60 * MINUTE, usual: 5 * MINUTE },
  retryMs: { first: 10 * SECOND, last: 15 * MINUTE },
  resultMs: 10 * SECOND,
};
/** For one request, in ms. */
const REQUEST_TIMEOUT_MS = 30 * SECOND;
/** Longest delay of the next attempt when the disk takes no file, in ms. */
const STORAGE_RETRY_MS = 30 * SECOND;
/** So much of a delay is random: devices that were started or lost their server together do not come back together. */
const SPREAD = { around: { from: 0.9, to: 1.1 }, below: { from: 0.5, to: 1 }, above: { from: 1, to: 1.1 } };

export interface FleetClientOptions {
  installation: FleetInstaller;
  trial: FleetTrial;
  /** The state is kept in `update/hawkbit.json` of the data folder. */
  board: Pick<Board, 'dataFolder' | 'runtimeFolder'>;
  /** The serial is the name of this device on the server when none is configured. */
  identity: { serial: string; model: string; version: string };
  /** RAUC's `compatible` of this board, by which servers choose bundles. */
  compatible: () => Promise<string>;
  /** `update.hawkbit`, read at the start and when it has changed. */
  config: () => FleetConfig;
  log: Pick<Logger, 'info' | 'warn'>;
  timing?: Timing;
  requestTimeoutMs?: number;
  random?: () => number;
}

/**
 * Pulls updates from a hawkBit server and reports what became of them. The rules are in `fleet-machine.ts`; this class
 * carries out what they request, one effect after the other, so that nothing begins before it is on the disk.
 */
export class FleetClient {
  readonly #options: FleetClientOptions;
  readonly #file: FleetFile;
  readonly #timers = new Map<TimerName | 'storage', NodeJS.Timeout>();
  readonly #driver: Driver<Readonly<FleetState>, FleetEvent, FleetEffect>;
  #isStarted = false;
  /** The reference of the update that is being installed, or whose reboot was asked for. */
  #running: string | undefined;
  #client: DdiClient | undefined;
  #session = new AbortController();
  #polls: { last: string | null; next: string | null } = { last: null, next: null };
  #storageProblem: string | undefined;
  /** The stored state could not be used. */
  #fileProblem: string | undefined;
  #isStopped = false;

  constructor(options: FleetClientOptions) {
    this.#options = options;
    this.#file = new FleetFile(join(options.board.dataFolder, 'update'), options.log);
    this.#driver = new Driver({
      machine: fleetMachine(options.timing ?? FLEET_TIMING),
      initial: initialState(NOTHING_STORED),
      perform: (effect) => this.#perform(effect),
      failed: (error) => this.#storageFailed(error),
    });
  }

  /** Goes on where the last run ended. Does nothing while no server is configured. */
  async start(): Promise<void> {
    if (this.#isStopped) return;
    const { stored, problem } = await this.#file.load();
    // An install or a restart that was begun survives this.
    const { session } = this.#driver.state;
    this.#driver.reset({ ...initialState(stored), session, running: this.#running });
    this.#storageProblem = undefined;
    this.#fileProblem = problem ?? this.#fileProblem;
    this.#isStarted = true;
    this.configChanged();
  }

  /** Uses the present configuration from now on. */
  configChanged(): void {
    if (!this.#isStarted || this.#isStopped) return;
    this.#session.abort();
    this.#session = new AbortController();
    this.#client = undefined;
    this.#polls = { last: null, next: null };
    const server = serverOf(this.#options.config(), this.#options.identity.serial);
    if (server) {
      this.#client = new DdiClient({
        server,
        attributes: () => this.#attributes(),
        timeoutMs: this.#options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
        signal: this.#session.signal,
      });
    }
    this.#take({ event: 'configured', server: server && keyOf(server) });
  }

  /** Ends requests and timers. An install that runs in the updater goes on there. */
  stop(): void {
    this.#isStopped = true;
    this.#driver.stop();
    this.#session.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  /** For `GET /update`. */
  status(): FleetStatus {
    if (this.#options.config().url === null) return STATUS_WHEN_OFF;
    return statusOf(this.#driver.state, this.#polls, this.#storageProblem);
  }

  /** What an operator should know, as sentences. */
  problems(): string[] {
    const file = this.#fileProblem === undefined ? [] : [this.#fileProblem];
    if (this.#options.config().url === null) return file;
    return [...file, ...problemsOf(this.#driver.state, this.#storageProblem)];
  }

  /** What the server is told about the device. gooseBit reads `hw_boardname` and `sw_version`, as SWUpdate names them. */
  async #attributes(): Promise<Record<string, string>> {
    const { compatible, identity } = this.#options;
    const { version, serial, model } = identity;
    return { hw_boardname: await compatible(), sw_version: version, serial, model };
  }

  /** Texts of the server and of the updater, which knows the token, are logged and shown. */
  #take(event: FleetEvent): void {
    const { target_token, gateway_token } = this.#options.config();
    const token = target_token ?? gateway_token;
    this.#driver.dispatch(token === null ? event : withoutToken(event, token));
  }

  async #save(stored: Stored): Promise<void> {
    await this.#file.save(stored);
    this.#storageProblem = undefined;
  }

  /** As after a restart: what is not on the disk has not happened. */
  #storageFailed(error: unknown): void {
    this.#storageProblem = errorMessage(error);
    this.#options.log.warn({ err: error }, 'the fleet client cannot store its state');
    this.#isStarted = false;
    this.#session.abort();
    this.#setTimer('storage', STORAGE_RETRY_MS, () => void this.start());
  }

  #perform(effect: FleetEffect): Promise<void> | void {
    const { log, trial } = this.#options;
    switch (effect.do) {
      case 'save':
        return this.#save(effect.stored);
      case 'request':
        void this.#request(effect.request, effect.session);
        return;
      case 'read_updater':
        void this.#readUpdater(effect.session);
        return;
      case 'install':
        void this.#install(effect.reference, effect.artifact);
        return;
      case 'apply':
        void this.#apply(effect.reference);
        return;
      case 'discard':
        trial.discard(effect.reference).catch((error: unknown) => {
          log.warn({ err: error }, 'an update that the server withdrew stays in its slot');
        });
        return;
      case 'set_timer': {
        const { from, to } = SPREAD[effect.spread];
        const ms = effect.ms * (from + (to - from) * (this.#options.random ?? Math.random)());
        if (effect.timer === 'poll') this.#polls.next = new Date(Date.now() + ms).toISOString();
        this.#setTimer(effect.timer, ms, () => this.#take({ event: 'timer', timer: effect.timer }));
        return;
      }
      case 'cancel_timer':
        clearTimeout(this.#timers.get(effect.timer));
        return;
      case 'log':
        log[effect.level](effect.details, effect.message);
    }
  }

  #setTimer(name: TimerName | 'storage', ms: number, run: () => void): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.set(name, setTimeout(run, ms).unref());
  }

  async #request(request: DdiRequest, session: number): Promise<void> {
    try {
      const reply = await this.#client?.perform(request);
      if (!reply || session !== this.#driver.state.session) return;
      switch (reply.kind) {
        case 'poll':
          this.#polls.last = now();
          this.#take({ event: 'polled', session, poll: reply.poll });
          return;
        case 'deployment': {
          const reference = referenceOf(reply.deployment.id, this.#driver.state.server ?? '', randomUUID());
          this.#take({ event: 'deployment_read', session, deployment: reply.deployment, reference });
          return;
        }
        case 'cancel':
          this.#take({ event: 'cancel_read', session, id: reply.id });
          return;
        case 'taken':
          this.#take({ event: 'sent', session });
      }
    } catch (error) {
      this.#take({ event: 'request_failed', session, failure: failureOf(error) });
    }
  }

  async #readUpdater(session: number): Promise<void> {
    try {
      this.#take({ event: 'updater_read', session, updater: await this.#options.trial.state() });
    } catch (error) {
      this.#take({ event: 'updater_failed', session, message: errorMessage(error) });
    }
  }

  async #install(reference: string, artifact: Artifact): Promise<void> {
    const { installation, trial, board } = this.#options;
    const progress = (fraction: number) => this.#take({ event: 'progress', reference, fraction });
    this.#running = reference;
    try {
      const { pending } = await trial.state();
      // Else it may have gone on in the updater after a restart of the agent.
      if (pending?.reference !== reference) {
        // The built-in and the uploaded authorities; exists when there are uploaded ones.
        const authorities = join(board.runtimeFolder, 'ca-certificates.crt');
        const tlsCa = existsSync(authorities) ? authorities : undefined;
        const source = await this.#client?.findBundle(artifact, reference, tlsCa);
        if (!source) throw new ApiError('unavailable', 'The configuration has changed.');
        await installation.installFrom(source, progress);
      }
      this.#running = undefined;
      this.#take({ event: 'installed', reference });
    } catch (error) {
      this.#running = undefined;
      const message = errorMessage(error);
      const kind = installFailure(error);
      const wait = error instanceof BundleFailure ? error.retryAfterMs : undefined;
      const asked = wait === undefined ? {} : { retryAfterMs: wait };
      this.#take({ event: 'install_failed', reference, kind, message, ...asked });
    }
  }

  async #apply(reference: string): Promise<void> {
    this.#running = reference;
    try {
      await this.#options.trial.applyInstalled(reference);
      this.#take({ event: 'applied', reference });
    } catch (error) {
      // The slot may be activated although the reboot was refused.
      const after = await this.#options.trial.state().catch(() => undefined);
      if (after?.rebooting) return this.#take({ event: 'applied', reference });
      this.#running = undefined;
      const isLost = error instanceof ApiError && error.code === 'conflict';
      this.#take({ event: 'apply_failed', reference, isLost, message: errorMessage(error) });
    }
  }
}

function installFailure(error: unknown): InstallFailure {
  if (error instanceof BundleFailure) return error.kind;
  const code = error instanceof ApiError ? error.code : undefined;
  if (code === 'bundle_invalid') return 'final';
  return code === 'conflict' || code === 'unavailable' ? 'again' : 'doubtful';
}
