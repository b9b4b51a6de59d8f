import { waitFor } from '../../testing/wait.ts';
import { HOST_ADDRESS } from '../qemu/arguments.ts';
import { type GuestShell, shellQuote } from '../qemu/shell.ts';
import { PeerProgram } from './bluetooth/peer-program.ts';
import { BluetoothPeer, type PeerKind } from './bluetooth-peer.ts';
import { sendPrograms } from './send-programs.ts';

const FOLDER = '/run/bluetooth-radios';
const UNIT_PREFIX = 'bluetooth-radios-';
const COMMAND_MS = 60_000;
const READY_MS = 90_000;
/** Time limit for the kernel to have taken a controller, in ms, and how often it may fail. */
const TAKEN_MS = 30_000;
const MAX_ATTEMPTS = 3;
/** The address that btvirt gives to the device's controller. */
export const DEVICE_ADDRESS = '00:AA:01:00:00:00';

/** Runs in the guest's Node: connects a controller of btvirt with a host stack on this computer. */
const PUMP = `
const [host, port, path] = process.argv.slice(1);
const { connect } = require('node:net');
const ends = [connect(Number(port), host).setNoDelay(true), connect(path)];
ends[0].pipe(ends[1]).pipe(ends[0]);
for (const end of ends) end.on('error', () => process.exit(1)).on('close', () => process.exit(0));`;

/**
 * Bluetooth for a device in QEMU. BlueZ's btvirt emulates the controllers and what is between them; it runs in the guest. The
 * device's is behind /dev/vhci, so that the kernel and bluetoothd drive it as any other. Those of the other end are driven
 * by Bumble on this computer. Nothing of it is on the image.
 */
export class BluetoothRadios {
  readonly #shell: GuestShell;
  readonly #program: PeerProgram;
  #lastUnit = 0;

  /** @param python from `installBumble` */
  static async plug(shell: GuestShell, python: string): Promise<BluetoothRadios> {
    const radios = new BluetoothRadios(shell, python);
    try {
      await radios.load();
    } catch (error) {
      await radios.unplug().catch(() => undefined);
      throw error;
    }
    return radios;
  }

  private constructor(shell: GuestShell, python: string) {
    this.#shell = shell;
    this.#program = new PeerProgram(python);
  }

  /**
   * Plugs the device's controller in, also after a restart of the device. Devices of the other end must be added again. The
   * kernel gives a controller up that does not answer within 2 s, as may happen on a busy computer: then another one is
   * plugged in.
   */
  async load(): Promise<void> {
    const isThere = await this.#shell.run(`test -x ${FOLDER}/btvirt`);
    if (isThere.code !== 0) await sendPrograms(this.#shell, FOLDER, ['usr/bin/btvirt']);
    for (let attempt = 1; ; attempt += 1) {
      await this.#shell.ok(
        `set -e
        modprobe hci_vhci
        systemd-run --quiet --collect --unit=${UNIT_PREFIX}btvirt${++this.#lastUnit} ${FOLDER}/btvirt -l1 -s${FOLDER}`,
        COMMAND_MS,
      );
      const isTaken = async () =>
        (
          await this.#shell.run(
            `timeout 10 btmgmt info | grep -q ^hci0 && test -S ${FOLDER}/bt-server-bredrle`,
          )
        ).code === 0;
      try {
        await waitFor(isTaken, { timeoutMs: TAKEN_MS, what: 'the Bluetooth controller', intervalMs: 500 });
        return;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS) throw error;
        await this.unload();
      }
    }
  }

  /** Pulls the device's controller out. */
  async unload(): Promise<void> {
    await this.#shell.ok(
      `systemctl stop '${UNIT_PREFIX}*' 2>/dev/null
      for try in $(seq 100); do test -e /sys/class/bluetooth/hci0 || exit 0; sleep 0.1; done; exit 1`,
      COMMAND_MS,
    );
  }

  /**
   * Adds a device to the other end, and waits until it is on the air. Its name is its key, too: when it is added again, it
   * still has its pairings, and a keyboard its address.
   */
  async add(name: string, kind: PeerKind): Promise<BluetoothPeer> {
    const { mark } = this.#program;
    const port = await this.#program.run({ do: 'add', peer: name, kind });
    const unit = `${UNIT_PREFIX}pump${++this.#lastUnit}`;
    const pump = `node -e ${shellQuote(PUMP)} ${HOST_ADDRESS} ${port} ${FOLDER}/bt-server-bredrle`;
    await this.#shell.ok(`systemd-run --quiet --collect --unit=${unit} ${pump}`, COMMAND_MS);
    const { address = '' } = await this.#program.event(name, 'ready', mark, READY_MS);
    return new BluetoothPeer(this.#program, name, address);
  }

  /** Switches a device of the other end off. */
  async remove({ name }: BluetoothPeer): Promise<void> {
    await this.#program.run({ do: 'remove', peer: name });
  }

  /** Ends the devices of the other end, without a command in the guest. */
  async stop(): Promise<void> {
    await this.#program.stop();
  }

  /** The end of what the other end has printed as errors. */
  get errors(): string {
    return this.#program.errors;
  }

  /**
   * Leaves the device as it was before {@link plug}, except for what bluetoothd has stored about devices that are still
   * paired.
   */
  async unplug(): Promise<void> {
    await this.#program.stop();
    await this.unload();
    await this.#shell.ok(`modprobe -r -q hci_vhci; rm -rf ${FOLDER}`, COMMAND_MS);
  }
}
