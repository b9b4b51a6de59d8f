import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connector, Connectors } from '../../resources/display/ports.ts';
import { type Edid, parseEdid } from './edid.ts';

/** `card0-HDMI-A-1` */
const CONNECTOR = /^card\d+-(.+)$/;
/** Connectors that never have a screen. */
const NO_SCREEN = /^Writeback-/;

/** The connectors of the graphics hardware, from sysfs. */
export class Drm implements Connectors {
  readonly #preferred: readonly string[];
  readonly #folder: string;

  /**
   * @param preferred connectors that come first, in this order; others follow in the order of their names
   * @param folder of the drm class
   */
  constructor(preferred: readonly string[], folder = '/sys/class/drm') {
    this.#preferred = preferred;
    this.#folder = folder;
  }

  async read(): Promise<Connector[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const found: Promise<Connector>[] = [];
    for (const name of names.sort()) {
      const id = CONNECTOR.exec(name)?.[1];
      if (id !== undefined && !NO_SCREEN.test(id)) found.push(this.#connector(id, join(this.#folder, name)));
    }
    const connectors = await Promise.all(found);
    return connectors.sort((one, other) => this.#rank(one.id) - this.#rank(other.id));
  }

  #rank(id: string): number {
    const index = this.#preferred.indexOf(id);
    return index === -1 ? this.#preferred.length : index;
  }

  async #connector(id: string, folder: string): Promise<Connector> {
    const [status, enabled, dpms, modes, edid] = await Promise.all([
      text(join(folder, 'status')),
      text(join(folder, 'enabled')),
      text(join(folder, 'dpms')),
      text(join(folder, 'modes')),
      readFile(join(folder, 'edid')).catch(() => Buffer.alloc(0)),
    ]);
    const monitor = parseEdid(edid);
    const sizes = [...new Set(modes.split('\n').filter((line) => line !== ''))];
    return {
      id,
      // Some drivers report a connector as connected before its monitor has reported any mode.
      connected: status.trim() === 'connected' && sizes.length > 0,
      powered: enabled.trim() === 'enabled' && dpms.trim() === 'On',
      modes: mergeModes(sizes, monitor),
      make: monitor?.make ?? null,
      model: monitor?.model ?? null,
      sizeMm: monitor?.sizeMm ?? null,
    };
  }
}

/** The kernel's sizes in its order, each with the refresh rates from the monitor's timings. */
function mergeModes(sizes: string[], monitor: Edid | undefined): string[] {
  return sizes.flatMap((size) => {
    const exact = monitor?.modes.filter((mode) => mode.startsWith(`${size}@`)) ?? [];
    return exact.length > 0 ? exact : [size];
  });
}

async function text(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => '');
}
