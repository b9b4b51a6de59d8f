import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Kiosk } from '../resources/display/ports.ts';

const run = promisify(execFile);
const CALL_MS = 10_000;
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
    await run('systemctl', ['reset-failed', this.#name], { timeout: CALL_MS }).catch(() => undefined);
    await run('systemctl', ['--no-block', 'restart', this.#name], { timeout: CALL_MS });
  }
}
