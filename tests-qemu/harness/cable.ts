import assert from 'node:assert/strict';
import { waitFor } from '../../ci/lib/wait.ts';
import type { Device } from './device.ts';

const HOST_ADDRESS_MS = 300_000;
const LOOK_MS = 500;
const CONTROLLER = '/sys/kernel/config/usb_gadget/*/UDC';

/** So many looks in a row that find the host deaf: its driver takes the word of the device within one otherwise. */
const DEAF_LOOKS = 10;
/** Succeeds when the device's end of the link is up and the host's is not. */
const HOST_IS_DEAF =
  'test "$(cat /sys/class/net/gadget0/carrier)" = 1 && ip -n host link show host0 up | grep -q NO-CARRIER';
/** Lets the host's driver go of the interface (subclass 0d: NCM) and take it anew. */
const TAKE_ANEW = `
  set -e
  cd /sys/bus/usb/drivers/cdc_ncm
  for interface in *:*; do
    test "$(cat "$interface/bInterfaceSubClass")" = 0d || continue
    echo "$interface" >unbind
    echo "$interface" >bind
  done`;

/**
 * Waits until the host at the other end of the USB cable has the address that the device gives it.
 *
 * The emulated host has Linux's driver, and usbnet (seen in the source of 7.2, `__handle_link_change`) forgets a change
 * of the link that is told while it still handles the one from before: what the device says just as the interface is
 * opened. The interface is up without a carrier then, for good, and drops what is sent: the DHCP client asks and asks.
 * As whoever sits at such a host would, this lets the driver begin anew.
 */
export async function waitForHostAddress({ shell, say }: Device): Promise<void> {
  let deafLooks = 0;
  await waitFor(
    async () => {
      if ((await shell.ok('ip -n host -4 -br address')).includes('10.55.77.2/')) return true;
      deafLooks = (await shell.run(HOST_IS_DEAF)).code === 0 ? deafLooks + 1 : 0;
      if (deafLooks < DEAF_LOOKS) return false;
      deafLooks = 0;
      say('the emulated host’s driver has missed that the link is up: it begins anew');
      await shell.ok(TAKE_ANEW);
      return false;
    },
    { timeoutMs: HOST_ADDRESS_MS, what: 'the address that the cable gives the host', intervalMs: LOOK_MS },
  );
}

/** Takes the gadget off its controller, as pulling the USB cable does, runs `between`, and puts it back. */
export async function gadgetUnplugged(device: Device, between: () => Promise<void>): Promise<void> {
  const { shell } = device;
  const controller = await shell.ok(`cat ${CONTROLLER}`);
  assert.match(controller, /^dummy_udc/);
  await shell.ok(`echo "" > "$(echo ${CONTROLLER})"`);
  try {
    await between();
    // Whoever still held the old tty open would keep its number, and the new one would be ttyACM1.
    await device.gadgetClosed();
  } finally {
    await shell.ok(`echo ${controller} > "$(echo ${CONTROLLER})"`);
  }
}

/** Takes the carrier off the machine's network interface and runs `between`: no packet passes meanwhile. */
async function networkUnplugged({ machine }: Device, between: () => Promise<void>): Promise<void> {
  await machine.qmp.execute('set_link', { name: 'cable', up: false });
  try {
    await between();
  } finally {
    await machine.qmp.execute('set_link', { name: 'cable', up: true });
  }
}

/** Runs `between` while no host is reachable over any network; the virtio serial link and the shell stay. */
export async function hostUnplugged(device: Device, between: () => Promise<void>): Promise<void> {
  await gadgetUnplugged(device, () => networkUnplugged(device, between));
}
