import { existsSync } from 'node:fs';
import type { Kiosk } from '../resources/display/ports.ts';
import { run } from './processes.ts';

const CALL_MS = 10_000;
const SERVICE_MS = 30_000;
const UNIT_FOLDERS = ['/etc/systemd/system', '/usr/lib/systemd/system'];

/** One service of systemd, as far as the agent steers it. */
export class SystemdUnit implements Kiosk {
  readonly #name: string;
  readonly installed: boolean;

  /** @param name for example `vitrine-kiosk.service` */
  constructor(name: string) {
    this.#name = name;
    this.installed =
      existsSync('/run/systemd/system') && UNIT_FOLDERS.some((folder) => existsSync(`${folder}/${name}`));
  }

  /** Queues the restart and does not wait for it. */
  async restart(): Promise<void> {
    if (!this.installed) return;
    // reset-failed: a unit that failed too often would otherwise refuse.
    await run('systemctl', ['reset-failed', this.#name], { timeoutMs: CALL_MS }).catch(() => undefined);
    const { code, stderr } = await run('systemctl', ['--no-block', 'restart', this.#name], {
      timeoutMs: CALL_MS,
    });
    if (code !== 0) throw new Error(`${this.#name} is not restarted: ${stderr.trim()}`);
  }

  /** Waits until the unit has read its files anew. */
  async reload(): Promise<void> {
    const { code, stderr } = await run('systemctl', ['reload', this.#name], { timeoutMs: CALL_MS });
    if (code !== 0) throw new Error(`${this.#name} is not reloaded: ${stderr.trim()}`);
  }
}

/**
 * Runs a service of the kind that ends by itself.
 * @throws Error when it fails, or has not ended after 30 s
 */
export async function runService(name: string): Promise<void> {
  const { code, stderr } = await run('systemctl', ['start', name], { timeoutMs: SERVICE_MS });
  if (code !== 0) throw new Error(`${name} failed: ${stderr.trim()}`);
}
