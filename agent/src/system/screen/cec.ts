import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Mutex } from '../../base/mutex.ts';
import type { Television, TelevisionPower, TelevisionReport } from '../../resources/display/ports.ts';
import { runOk } from '../processes.ts';

/** The television's logical address, and that of a device without one. */
const TELEVISION = '0';
const UNREGISTERED = '15';
/** A television has a second for an answer; a message is repeated up to five times. */
const TIMEOUT_MS = 10_000;
const NOT_CONNECTED = 'f.f.f.f';
/** The physical address of a television: such an adapter belongs to an HDMI input. */
const ROOT = '0.0.0.0';
const POWER: Readonly<Record<string, TelevisionPower>> = {
  on: 'on',
  standby: 'standby',
  'to-on': 'to_on',
  'to-standby': 'to_standby',
};

export interface CecOptions {
  /** The program from v4l-utils. */
  command?: string;
  /** The folder with the adapters' device files. */
  devices?: string;
  /** The folder of the drm class. */
  drm?: string;
}

interface Adapter {
  physicalAddress: string;
  hasLogicalAddress: boolean;
  /** The DRM connector that it belongs to; undefined if its driver does not say. */
  connector: { card: string; id: string } | undefined;
}

/**
 * The television on an output, driven with cec-ctl. An adapter belongs to the output whose DRM connector it names. An
 * adapter that names none (a USB adapter, an emulated one) is used for any output that has no adapter of its own.
 */
export class CecTelevision implements Television {
  readonly #command: string;
  readonly #devices: string;
  readonly #drm: string;
  /** The bus has one message at a time. */
  readonly #bus = new Mutex();

  constructor({ command = 'cec-ctl', devices = '/dev', drm = '/sys/class/drm' }: CecOptions = {}) {
    this.#command = command;
    this.#devices = devices;
    this.#drm = drm;
  }

  read(connector: string): Promise<TelevisionReport> {
    return this.#bus.run(async () => {
      const found = await this.#find(connector);
      if (!found) return { state: 'no_cec' };
      if (found.adapter.physicalAddress === NOT_CONNECTED) return { state: 'unplugged' };
      const printed = await this.#cecCtl(found.device, '--to', TELEVISION, '--give-device-power-status');
      const status = /pwr-state: ([a-z-]+)/.exec(printed)?.[1] ?? '';
      return { state: 'plugged', power: POWER[status] ?? null };
    });
  }

  switch(connector: string, on: boolean): Promise<void> {
    return this.#bus.run(async () => {
      const found = await this.#find(connector);
      if (!found) throw new Error('there is no adapter');
      const { device, adapter } = found;
      const to = ['--to', TELEVISION];
      if (!on) return this.#send(device, ...to, '--standby');
      // Some televisions look unplugged in standby. Without an address, a device may still wake them.
      if (adapter.physicalAddress === NOT_CONNECTED) {
        return this.#send(device, '--from', UNREGISTERED, ...to, '--image-view-on');
      }
      await this.#send(device, ...to, '--image-view-on');
      await this.#send(device, ...to, '--active-source', `phys-addr=${adapter.physicalAddress}`);
    });
  }

  /** The adapter of an output, with a logical address if a television is connected. */
  async #find(connector: string): Promise<{ device: string; adapter: Adapter } | undefined> {
    const names = (await readdir(this.#devices).catch(() => [])).filter((name) => /^cec\d+$/.test(name));
    const own = await this.#connectorId(connector);
    let shared: { device: string; adapter: Adapter } | undefined;
    let failure: unknown;
    for (const name of names.sort((one, other) => Number(one.slice(3)) - Number(other.slice(3)))) {
      const device = join(this.#devices, name);
      // One that is broken must not hide the others.
      const printed = await this.#cecCtl(device).catch((error: unknown) => {
        failure ??= error;
        return '';
      });
      const adapter = parseAdapter(printed);
      if (!adapter || adapter.physicalAddress === ROOT) continue;
      const { id, card } = adapter.connector ?? {};
      if (id !== undefined && id === own?.id && card === own.card) return this.#claimed(device, adapter);
      if (id === undefined) shared ??= { device, adapter };
    }
    if (!shared && failure) throw failure;
    return shared && this.#claimed(shared.device, shared.adapter);
  }

  /** Claims a logical address if there is none. The kernel claims it again after a hotplug. */
  async #claimed(device: string, adapter: Adapter): Promise<{ device: string; adapter: Adapter }> {
    if (!adapter.hasLogicalAddress && adapter.physicalAddress !== NOT_CONNECTED) {
      await this.#cecCtl(device, '--playback', '--osd-name', 'Vitrine');
    }
    return { device, adapter };
  }

  /** The card and the id that the kernel uses for a connector. */
  async #connectorId(connector: string): Promise<{ card: string; id: string } | undefined> {
    for (const name of await readdir(this.#drm).catch(() => [])) {
      const card = /^card(\d+)-(.+)$/.exec(name);
      if (card?.[1] === undefined || card[2] !== connector) continue;
      const id = await readFile(join(this.#drm, name, 'connector_id'), 'utf8').catch(() => '');
      return { card: card[1], id: id.trim() };
    }
    return undefined;
  }

  /** @throws Error when the message was not acknowledged */
  async #send(device: string, ...message: readonly string[]): Promise<void> {
    const printed = await this.#cecCtl(device, ...message);
    if (!/\bTransmit from /.test(printed)) throw new Error('the adapter has no address');
    if (/Not Acknowledged/i.test(printed)) throw new Error('the television does not answer');
    if (!/\bSequence: /.test(printed)) throw new Error('the adapter sent nothing');
  }

  async #cecCtl(device: string, ...args: readonly string[]): Promise<string> {
    return await runOk(this.#command, ['-d', device, ...args], { timeoutMs: TIMEOUT_MS });
  }
}

/** @param printed "Driver Info" of cec-ctl */
function parseAdapter(printed: string): Adapter | undefined {
  const physicalAddress = /^\s*Physical Address\s*: ([0-9a-f.]+)$/m.exec(printed)?.[1];
  const mask = /^\s*Logical Address Mask\s*: 0x([0-9a-f]+)$/m.exec(printed)?.[1];
  if (physicalAddress === undefined || mask === undefined) return undefined;
  const drm = /^\s*DRM Connector Info\s*: card (\d+), connector (\d+)$/m.exec(printed);
  const connector = drm?.[1] && drm[2] ? { card: drm[1], id: drm[2] } : undefined;
  return { physicalAddress, hasLogicalAddress: Number.parseInt(mask, 16) !== 0, connector };
}
