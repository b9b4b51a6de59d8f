import { fstatSync, writeSync } from 'node:fs';
import type { Logger } from '../base/logger.ts';

/** First descriptor that systemd passes (sd_listen_fds(3)). */
const FIRST_DESCRIPTOR = 3;
/** Name of the descriptor in vitrine-agent.service (`OpenFile=`). */
const DESCRIPTOR_NAME = 'notify';

/** Environment variables that systemd sets. */
export interface ServiceEnvironment {
  LISTEN_PID?: string | undefined;
  LISTEN_FDS?: string | undefined;
  LISTEN_FDNAMES?: string | undefined;
  WATCHDOG_USEC?: string | undefined;
  NOTIFY_SOCKET?: string | undefined;
}

/**
 * Notifies systemd about the state of the service (sd_notify(3)). Node has no unix datagram sockets, but it can write to
 * one that is open and connected: systemd opens its own notification socket for the unit (`OpenFile=`). So the watchdog
 * is fed by the event loop itself, without a child process or native module, and `NotifyAccess=main` suffices.
 * Does nothing outside of such a unit.
 */
export class ServiceManager {
  readonly #descriptor: number | undefined;
  readonly #watchdogMs: number | undefined;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;

  constructor({ log, env = process.env }: { log: Logger; env?: ServiceEnvironment }) {
    this.#log = log;
    this.#descriptor = descriptorOf(env);
    const microseconds = Number(env.WATCHDOG_USEC);
    this.#watchdogMs = microseconds > 0 ? microseconds / 1000 : undefined;
    if (env.NOTIFY_SOCKET !== undefined && this.#descriptor === undefined) {
      log.warn('systemd expects notifications, but the unit does not open its socket (OpenFile=)');
    }
  }

  /**
   * The service answers. From now on the event loop feeds the watchdog.
   * @param status shown by `systemctl status`
   */
  ready(status: string): void {
    this.#send(`READY=1\nSTATUS=${status.replaceAll(/[\r\n]+/g, ' ')}`);
    if (this.#watchdogMs === undefined) return;
    // Three times per period: two may be late.
    this.#timer = setInterval(() => this.#send('WATCHDOG=1'), this.#watchdogMs / 3);
    this.#timer.unref();
  }

  /** The service is shutting down. */
  stopping(): void {
    clearInterval(this.#timer);
    this.#send('STOPPING=1');
  }

  #send(message: string): void {
    if (this.#descriptor === undefined) return;
    try {
      writeSync(this.#descriptor, message);
    } catch (error) {
      this.#log.warn({ err: error }, 'systemd was not notified');
    }
  }
}

/** The descriptor named `notify` among those that systemd passed to this process. */
function descriptorOf(env: ServiceEnvironment): number | undefined {
  if (Number(env.LISTEN_PID) !== process.pid) return undefined;
  const index = (env.LISTEN_FDNAMES ?? '').split(':').indexOf(DESCRIPTOR_NAME);
  if (index === -1 || index >= Number(env.LISTEN_FDS)) return undefined;
  try {
    return fstatSync(FIRST_DESCRIPTOR + index).isSocket() ? FIRST_DESCRIPTOR + index : undefined;
  } catch {
    return undefined;
  }
}
