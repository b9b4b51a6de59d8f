import assert from 'node:assert/strict';
import { waitFor } from '../../ci/lib/wait.ts';
import type { Device } from './device.ts';

const HOST_ADDRESS_MS = 120_000;
const CONTROLLER = '/sys/kernel/config/usb_gadget/*/UDC';

/** Waits until the host at the other end of the USB cable has the address that the device gives it. */
export async function waitForHostAddress({ shell }: Device): Promise<void> {
  await waitFor(async () => (await shell.ok('ip -n host -4 -br address')).includes('10.55.77.2/'), {
    timeoutMs: HOST_ADDRESS_MS,
    what: 'the address that the cable gives the host',
    intervalMs: 500,
  });
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
