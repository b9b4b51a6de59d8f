import { fstatSync, writeSync } from 'node:fs';
import type { Logger } from '../base/logger.ts';

/** Where systemd's descriptors begin (sd_listen_fds(3)). */
const FIRST_DESCRIPTOR = 3;
/** Name that vitrine-agent.service gives the descriptor in `OpenFile=`. */
const DESCRIPTOR_NAME = 'notify';

/** What systemd told the agent at its start. */
export interface ServiceEnvironment {
  LISTEN_PID?: string | undefined;
  LISTEN_FDS?: string | undefined;
  LISTEN_FDNAMES?: string | undefined;
  WATCHDOG_USEC?: string | undefined;
  NOTIFY_SOCKET?: string | undefined;
}

/**
 * Tells systemd how the service is (sd_notify(3)). Node has no unix datagram sockets, but it can write to one
 * that is open and connected: the unit has systemd open its own notification socket (`OpenFile=`), so no child
 * process and no native module stands between the event loop and the watchdog, and `NotifyAccess=main` holds.
 * Outside of such a unit everything here does nothing.
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
      log.warn('systemd waits for notifications, but the unit does not open its socket (OpenFile=)');
    }
  }

  /** The service answers; from now on the watchdog is fed by the event loop. */
  ready(status: string): void {
    this.#send(`READY=1\nSTATUS=${oneLine(status)}`);
    if (this.#watchdogMs === undefined) return;
    // A third of the time: two pings may be late before the third is missed.
    this.#timer = setInterval(() => this.#send('WATCHDOG=1'), this.#watchdogMs / 3);
    this.#timer.unref();
  }

  /** One line for `systemctl status`. */
  status(text: string): void {
    this.#send(`STATUS=${oneLine(text)}`);
  }

  /** The service is on its way down. */
  stopping(): void {
    clearInterval(this.#timer);
    this.#send('STOPPING=1');
  }

  #send(message: string): void {
    if (this.#descriptor === undefined) return;
    try {
      writeSync(this.#descriptor, message);
    } catch (error) {
      this.#log.warn({ err: error }, 'systemd did not take a notification');
    }
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}

/** The descriptor called `notify` among those that systemd passed to this very process. */
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
