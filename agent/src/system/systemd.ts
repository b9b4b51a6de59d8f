import { existsSync } from 'node:fs';
import type { Logger } from '../base/logger.ts';
import { withTimeout } from '../base/timeout.ts';
import type { SystemBus } from './dbus/bus.ts';
import { anything, BusError, shaped, text } from './dbus/values.ts';
import { runOk } from './processes.ts';

export const SYSTEMD = 'org.freedesktop.systemd1';
const PATH = '/org/freedesktop/systemd1';
/** Queuing a job takes no longer, in ms. */
const QUEUE_MS = 5000;
export const MANAGER = {
  ...{ destination: SYSTEMD, path: PATH, interface: `${SYSTEMD}.Manager`, timeoutMs: QUEUE_MS },
};
const SYSTEMCTL_MS = 10_000;
const RELOAD_MS = 10_000;
const SERVICE_MS = 30_000;
const UNIT_FOLDERS = ['/etc/systemd/system', '/usr/lib/systemd/system'];
/** Results of jobs that did what they should; a unit is skipped if its conditions are not met. */
const GOOD_RESULTS = ['done', 'skipped'];

const parseJob = shaped(text);
/** Number, path, unit, result. */
const parseRemoved = shaped(anything, text, text, text);

type Systemctl = (args: readonly string[], timeoutMs: number) => Promise<unknown>;

export function runsSystemd(): boolean {
  return existsSync('/run/systemd/system');
}

/** @param name for example `vitrine-kiosk.service` */
export function isInstalled(name: string): boolean {
  return runsSystemd() && UNIT_FOLDERS.some((folder) => existsSync(`${folder}/${name}`));
}

/** A unit's object path (systemd's "bus label" escaping: other characters than letters and digits become `_XX`). */
export function unitPath(name: string): string {
  const escaped = name.replace(/[^A-Za-z0-9]/g, (c) => `_${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `${PATH}/unit/${escaped}`;
}

/**
 * Controls units over the bus. While the bus does not answer, `systemctl` does the same: it has systemd's own socket.
 */
export class Systemd {
  readonly #dbus: SystemBus;
  readonly #log: Logger;
  readonly #systemctl: Systemctl;

  /** @param systemctl for tests */
  constructor(
    dbus: SystemBus,
    log: Logger,
    systemctl: Systemctl = (args, timeoutMs) => runOk('systemctl', args, { timeoutMs }),
  ) {
    this.#dbus = dbus;
    this.#log = log;
    this.#systemctl = systemctl;
  }

  /** Queues a restart and does not wait for it. @throws Error when it was not queued */
  async restart(name: string): Promise<void> {
    // A unit that failed too often refuses to start until its failures are reset.
    await this.#call('ResetFailedUnit', [name], ['reset-failed', name]).catch(() => undefined);
    await this.#call('RestartUnit', [name, 'replace'], ['--no-block', 'restart', name]);
  }

  /**
   * Reboots or powers off, as `systemctl reboot` does without a login manager. Does not wait for it.
   * @param target `reboot.target` or `poweroff.target`
   * @throws Error when it was not queued
   */
  async endSystem(target: string): Promise<void> {
    const mode = 'replace-irreversibly';
    await this.#call('StartUnit', [target, mode], ['--no-block', `--job-mode=${mode}`, 'start', target]);
  }

  /** Waits until a unit has reloaded its files. @throws Error when that fails or takes longer than 10 s */
  reload(name: string): Promise<void> {
    return this.#run('Reload', name, RELOAD_MS);
  }

  /** Runs a oneshot service to its end. @throws Error when it fails or takes longer than 30 s */
  runService(name: string, timeoutMs = SERVICE_MS): Promise<void> {
    return this.#run('Start', name, timeoutMs);
  }

  /** Waits for the end of a job. */
  async #run(verb: 'Start' | 'Reload', name: string, timeoutMs: number): Promise<void> {
    const command = [verb.toLowerCase(), name];
    /** The result of the job; undefined when the bus or systemd's name on it was lost. */
    const ended = Promise.withResolvers<string | undefined>();
    let job: string | undefined;
    const stops = [
      this.#dbus.subscribe({ ...MANAGER, sender: SYSTEMD, member: 'JobRemoved' }, ({ args }) => {
        const [, path, , result] = parseRemoved(args);
        if (path === job) ended.resolve(result);
      }),
      this.#dbus.watch(SYSTEMD, (owner) => {
        if (owner === undefined) ended.resolve(undefined);
      }),
    ];
    try {
      const queued = await this.#call(`${verb}Unit`, [name, 'replace'], command, timeoutMs);
      if (!queued) return;
      [job] = parseJob(queued);
      const result = await withTimeout(
        ended.promise,
        timeoutMs,
        () => new Error(`systemd did not ${command.join(' ')} in ${timeoutMs} ms`),
      );
      // The job may have ended meanwhile. To start or reload once more does no harm.
      if (result === undefined) await this.#systemctl(command, timeoutMs);
      else if (!GOOD_RESULTS.includes(result)) {
        throw new Error(`systemd failed to ${command.join(' ')}: ${result}`);
      }
    } finally {
      for (const stop of stops) stop();
    }
  }

  /**
   * Calls the manager.
   * @param command does the same with systemctl
   * @returns the reply; undefined when systemctl was used, which waits for jobs unless told otherwise
   * @throws Error when systemd refuses
   */
  async #call(
    member: string,
    args: readonly string[],
    command: readonly string[],
    timeoutMs = SYSTEMCTL_MS,
  ): Promise<readonly unknown[] | undefined> {
    try {
      return await this.#dbus.call({ ...MANAGER, member, args: args.map((arg) => ['s', arg]) });
    } catch (error) {
      // The answer of systemd itself.
      if (error instanceof BusError && error.errorName.startsWith(`${SYSTEMD}.`)) throw error;
      this.#log.warn({ err: error, command }, 'systemd was not reached over the bus; using systemctl');
      await this.#systemctl(command, timeoutMs);
      return undefined;
    }
  }
}
