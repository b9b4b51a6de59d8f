import { type GuestShell, shellQuote } from '../qemu/shell.ts';

/** Folder of the programs and files of the other end, in the device's memory. */
export const FOLDER = '/run/radios';
/** Begins the names of all units of the other end. */
export const UNIT_PREFIX = 'radios-';
export const IW = `${FOLDER}/iw`;
/** Time limit for a command that starts or stops something, in ms; emulated processors are slow. */
export const COMMAND_MS = 60_000;
/** The networks of the far radios: private ones (RFC 1918), as behind most access points. */
const NETWORKS = ['192.168.61', '192.168.62', '192.168.63'];
/** With the device's own. */
export const MAX_RADIOS = NETWORKS.length + 1;

/**
 * A Wi-Fi radio of the emulated medium at the other end. It is in a network namespace of its own, so that the device's
 * programs do not see it.
 */
export class FarRadio {
  readonly shell: GuestShell;
  readonly number: number;
  /** Name of the network namespace. */
  readonly netns: string;
  readonly interface: string;
  /** Begin of its IPv4 network, `192.168.61`. */
  readonly network: string;
  /** Whether an access point or a station uses it. */
  isUsed = false;

  /** @param number from 1 */
  constructor(shell: GuestShell, number: number) {
    this.shell = shell;
    this.number = number;
    this.netns = `far${number}`;
    this.interface = `wlan${number}`;
    this.network = NETWORKS[number - 1] ?? '';
  }

  /** Its address as an access point. */
  get address(): string {
    return `${this.network}.1`;
  }

  /** Path of a file of this radio in the guest. */
  file(name: string): string {
    return `${FOLDER}/${this.netns}.${name}`;
  }

  unit(name: string): string {
    return `${UNIT_PREFIX}${this.netns}-${name}`;
  }

  /** Runs a command in the radio's network; throws when it fails. Returns its output. */
  async ok(command: string, timeoutMs = COMMAND_MS): Promise<string> {
    return await this.shell.ok(`ip netns exec ${this.netns} ${command}`, timeoutMs);
  }

  /** A shell command that starts a program in the radio's network, as the unit of `name`. */
  starting(name: string, command: string): string {
    return `systemd-run --quiet --collect --unit=${this.unit(name)} ip netns exec ${this.netns} ${command}`;
  }

  /** Shell commands that stop units if they run, and wait until they can be started again. */
  stopping(...names: string[]): string {
    const units = names.map((name) => `${this.unit(name)}.service`).join(' ');
    return `for unit in ${units}; do
        systemctl stop $unit 2>/dev/null || true
        until [ "$(systemctl show -P LoadState $unit)" = not-found ]; do
          systemctl reset-failed $unit 2>/dev/null || true; sleep 0.1
        done
      done`;
  }

  /** What a unit has printed since its last start; it helps to see why something does not work. */
  async log(name: string): Promise<string> {
    return await this.shell.ok(`journalctl -b -o cat --no-pager -n 40 -u ${this.unit(name)}`);
  }

  /** A shell command that writes a file. */
  writing(name: string, lines: readonly string[]): string {
    return `printf '%s\\n' ${lines.map(shellQuote).join(' ')} >${this.file(name)}`;
  }

  /** Lets the radio hear and be heard, or not: unlike one that is switched off, it says nothing when it disappears. */
  async setInRange(isInRange: boolean): Promise<void> {
    const phy = await this.ok(`cat /sys/class/net/${this.interface}/phy80211/name`);
    // The emulated medium delivers frames between radios that have a group in common.
    await this.shell.ok(`echo ${isInRange ? 1 : 2} >/sys/kernel/debug/ieee80211/${phy}/hwsim/group`);
  }
}
