import { existsSync } from 'node:fs';
import type { Kiosk } from '../resources/display/ports.ts';
import { run } from './processes.ts';

const CALL_MS = 10_000;
const SERVICE_MS = 30_000;
const UNIT_FOLDERS = ['/etc/systemd/system', '/usr/lib/systemd/system'];

export function runsSystemd(): boolean {
  return existsSync('/run/systemd/system');
}

/** A systemd service that the agent controls. */
export class SystemdUnit implements Kiosk {
  readonly #name: string;
  readonly installed: boolean;

  /** @param name for example `vitrine-kiosk.service` */
  constructor(name: string) {
    this.#name = name;
    this.installed = runsSystemd() && UNIT_FOLDERS.some((folder) => existsSync(`${folder}/${name}`));
  }

  /** Queues the restart and does not wait for it. */
  async restart(): Promise<void> {
    if (!this.installed) return;
    // A unit that failed too often refuses to start until its failures are reset.
    await systemctl(CALL_MS, 'reset-failed', this.#name).catch(() => undefined);
    await systemctl(CALL_MS, '--no-block', 'restart', this.#name);
  }

  /** Waits until the unit has reloaded its files. */
  reload(): Promise<void> {
    return systemctl(CALL_MS, 'reload', this.#name);
  }
}

/**
 * Runs a oneshot service to its end.
 * @throws Error when it fails or takes longer than 30 s
 */
export function runService(name: string): Promise<void> {
  return systemctl(SERVICE_MS, 'start', name);
}

/**
 * Reboots or powers off, as `systemctl reboot` does without a login manager: without the bus, over systemd's own socket.
 * @param target `reboot.target` or `poweroff.target`
 */
export function endSystem(target: string): Promise<void> {
  return systemctl(CALL_MS, '--no-block', '--job-mode=replace-irreversibly', 'start', target);
}

async function systemctl(timeoutMs: number, ...args: string[]): Promise<void> {
  const { code, stderr } = await run('systemctl', args, { timeoutMs });
  if (code !== 0) throw new Error(`systemctl ${args.join(' ')} failed: ${stderr.trim()}`);
}
