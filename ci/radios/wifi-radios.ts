import { type GuestShell, shellQuote } from '../qemu/shell.ts';
import { AccessPoint, type AccessPointOptions } from './access-point.ts';
import { COMMAND_MS, FarRadio, FOLDER, IW, MAX_RADIOS, UNIT_PREFIX } from './far-radio.ts';
import { sendPrograms } from './send-programs.ts';
import { WifiStation } from './wifi-station.ts';

/** The radio's interface that stays with the device. */
export const DEVICE_INTERFACE = 'wlan0';
/** Script of udhcpc: sets the address, and keeps everything that the server said. */
const USE_LEASE = `#!/bin/sh
test "$1" = bound || exit 0
ip addr replace $ip/$mask dev $interface
env >$LEASE
`;

/**
 * Wi-Fi for a device in QEMU: radios of the kernel's mac80211_hwsim, which hear each other. One is the device's; the others are
 * the other end, with real programs of Debian. Nothing of it is on the image.
 */
export class WifiRadios {
  readonly shell: GuestShell;
  /** Radios of the other end. */
  readonly far: readonly FarRadio[];

  /** @param radios number of radios, with the device's own */
  static async plug(shell: GuestShell, radios = 3): Promise<WifiRadios> {
    if (radios > MAX_RADIOS) throw new Error(`at most ${MAX_RADIOS} radios`);
    await sendPrograms(shell, FOLDER, ['usr/sbin/hostapd', 'usr/sbin/iw']);
    await shell.ok(`printf %s ${shellQuote(USE_LEASE)} >${FOLDER}/use-lease && chmod +x ${FOLDER}/use-lease`);
    const plugged = new WifiRadios(shell, radios);
    try {
      await plugged.load();
    } catch (error) {
      await plugged.unplug().catch(() => undefined);
      throw error;
    }
    return plugged;
  }

  private constructor(shell: GuestShell, radios: number) {
    this.shell = shell;
    this.far = Array.from({ length: radios - 1 }, (_, index) => new FarRadio(shell, index + 1));
  }

  /** A radio of the other end that nothing uses. */
  #free(): FarRadio {
    const free = this.far.find(({ isUsed }) => !isUsed);
    if (!free) throw new Error('all radios of the other end are in use');
    free.isUsed = true;
    return free;
  }

  /** An access point on a free radio, started. */
  async accessPoint(options: AccessPointOptions): Promise<AccessPoint> {
    const point = new AccessPoint(this.#free(), options);
    await point.start();
    return point;
  }

  /** Another device on a free radio, which has joined nothing yet. */
  station(): WifiStation {
    return new WifiStation(this.#free());
  }

  /** Ends an access point or a station; its radio can be used for something else. */
  async release({ radio }: AccessPoint | WifiStation): Promise<void> {
    await this.shell.ok(
      `${radio.stopping('hostapd', 'dhcp', 'station')}; ip -n ${radio.netns} addr flush dev ${radio.interface}`,
      COMMAND_MS,
    );
    radio.isUsed = false;
  }

  /** Loads the driver, as after plugging a USB adapter. Access points must be started again. */
  async load(): Promise<void> {
    const moves = this.far.map(
      ({ netns, interface: name }) => `ip netns add ${netns} 2>/dev/null || true
      ${IW} phy $(cat /sys/class/net/${name}/phy80211/name) set netns name ${netns}
      ip -n ${netns} link set lo up`,
    );
    await this.shell.ok(
      `set -e
      modprobe mac80211_hwsim radios=${this.far.length + 1}
      ${moves.join('\n')}
      udevadm settle -t 30`,
      COMMAND_MS,
    );
  }

  /**
   * Removes the driver and with it all radios, as when a USB adapter is pulled out. cfg80211 stays, as it does then: a
   * wpa_supplicant that runs cannot use one that is loaded later.
   */
  async unload(): Promise<void> {
    await this.shell.ok(
      `systemctl stop '${UNIT_PREFIX}*' 2>/dev/null; modprobe -r mac80211_hwsim; ! test -e /sys/class/net/${DEVICE_INTERFACE}`,
      COMMAND_MS,
    );
  }

  /** Leaves the device as it was before {@link plug}. */
  async unplug(): Promise<void> {
    await this.unload();
    const names = this.far.map(({ netns }) => `ip netns del ${netns} 2>/dev/null`).join('\n');
    await this.shell.ok(`${names}\nmodprobe -r -q cfg80211; rm -rf ${FOLDER}`);
  }
}
