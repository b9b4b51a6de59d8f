import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Machine } from '../../ci/qemu/machine.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from './device.ts';
import { SERIAL_NUMBER } from './device-setup.ts';

const HOST_ADDRESS_MS = 300_000;
const POLL_MS = 500;
const CONTROLLER = '/sys/kernel/config/usb_gadget/*/UDC';

/** The device's own address at the cable, and that of its host (overlay/usr/lib/vitrine/cable-addresses). */
export const CABLE = cableOf(SERIAL_NUMBER);

function cableOf(serial: string): { device: string; host: string } {
  const hash = createHash('sha256').update(`vitrine cable ${serial}`).digest();
  const number = hash.readUInt16BE() % 8192;
  const network = `10.55.${128 + Math.floor(number / 64)}`;
  const first = (number % 64) * 4;
  return { device: `${network}.${first + 1}`, host: `${network}.${first + 2}` };
}

/** Rebind the host's driver after this many polls in a row without a carrier; normally one poll is enough. */
const POLLS_WITHOUT_CARRIER = 10;
/** Succeeds when the device's end of the link is up and the host's end has no carrier. */
const HOST_HAS_NO_CARRIER =
  'test "$(cat /sys/class/net/gadget0/carrier)" = 1 && ip -n host link show host0 up | grep -q NO-CARRIER';
/** Unbinds the host's driver from the interface (subclass 0d: NCM) and binds it again. */
const REBIND_DRIVER = `
  set -e
  cd /sys/bus/usb/drivers/cdc_ncm
  for interface in *:*; do
    test "$(cat "$interface/bInterfaceSubClass")" = 0d || continue
    echo "$interface" >unbind
    echo "$interface" >bind
  done`;

/**
 * Waits until the host at the other end of the USB cable has received its address from the device.
 *
 * The emulated host uses Linux's driver usbnet, which (source of 7.2, `__handle_link_change`) loses a link change that
 * arrives while it still handles the previous one, as can happen when the interface is opened. The interface then stays
 * up without a carrier and drops all packets, so the DHCP client never succeeds. As a user of such a host would do, this
 * function rebinds the driver.
 */
export async function waitForHostAddress({ shell, say }: Device): Promise<void> {
  let pollsWithoutCarrier = 0;
  await waitFor(
    async () => {
      if ((await shell.ok('ip -n host -4 -br address')).includes(`${CABLE.host}/`)) return true;
      pollsWithoutCarrier = (await shell.run(HOST_HAS_NO_CARRIER)).code === 0 ? pollsWithoutCarrier + 1 : 0;
      if (pollsWithoutCarrier < POLLS_WITHOUT_CARRIER) return false;
      pollsWithoutCarrier = 0;
      say('the emulated host’s driver missed the link-up event: rebinding it');
      await shell.ok(REBIND_DRIVER);
      return false;
    },
    { timeoutMs: HOST_ADDRESS_MS, what: 'the host to get its address over the cable', intervalMs: POLL_MS },
  );
}

/** Unbinds the gadget from its controller, which has the effect of pulling the USB cable, runs `between`, and rebinds. */
export async function gadgetUnplugged(
  device: Pick<Device, 'shell'> & { gadgetClosed(): Promise<void> },
  between: () => Promise<void>,
): Promise<void> {
  const { shell } = device;
  const controller = await shell.ok(`cat ${CONTROLLER}`);
  assert.match(controller, /^dummy_udc/);
  await shell.ok(`echo "" > "$(echo ${CONTROLLER})"`);
  try {
    await between();
    // A program that still held the old tty open would keep its number, and the new one would be ttyACM1.
    await device.gadgetClosed();
  } finally {
    await shell.ok(`echo ${controller} > "$(echo ${CONTROLLER})"`);
  }
}

/** Runs `between` while the machine's network interface has no carrier, so that no packet passes. */
export async function networkUnplugged(machine: Machine, between: () => Promise<void>): Promise<void> {
  await machine.qmp.execute('set_link', { name: 'cable', up: false });
  try {
    await between();
  } finally {
    await machine.qmp.execute('set_link', { name: 'cable', up: true });
  }
}
