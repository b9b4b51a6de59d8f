/** What the tests of Wi-Fi ask of the device, and what nobody on a wireless network may reach of it. */
import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import { CABLE } from './cable.ts';
import type { Device } from './device.ts';
import { listeningPorts, type ProbeTarget, probe } from './network-probe.ts';

/** Time limit for a change on the radio, in ms. */
export const WAIT_MS = 120_000;
/** The host at the other end of the cable, and a port on which the test listens there. */
export const HOST = { protocol: 'tcp', host: CABLE.host, port: 8099 } as const;
/** Ports that nothing may offer to a wireless network, besides those on which something listens. */
const COMMON_PORTS = [22, 53, 80, 443, 5353, 5355, 8080, 9222];

/** Changes the configuration; null: as on a new device. */
export async function configure(device: Device, wifi: Record<string, unknown> | null): Promise<void> {
  await device.act('PATCH', '/config', { wifi });
}

/** Waits until the status is as wanted, and returns it. */
export async function waitForWifi(
  device: Device,
  wanted: (wifi: unknown) => boolean,
  what: string,
): Promise<unknown> {
  let last: unknown;
  return await waitFor(
    async () => {
      last = await device.get('/wifi');
      return wanted(last) ? last : undefined;
    },
    { timeoutMs: WAIT_MS, what, intervalMs: 500 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; the radio is ${JSON.stringify(last)}`);
  });
}

/** Joined, with an address that the network has given. */
export const isConnectedTo = (ssid: string) => (wifi: unknown) => {
  const addresses = field(wifi, 'connection.addresses');
  const isGiven = (address: unknown) => !String(address).startsWith('fe80:');
  return field(wifi, 'connection.ssid') === ssid && Array.isArray(addresses) && addresses.some(isGiven);
};

/** Makes one network the only configured one and waits until it is joined. */
export async function join(device: Device, ssid: string, psk: string): Promise<unknown> {
  await configure(device, { networks: [{ ssid, psk, priority: 0 }] });
  return await waitForWifi(device, isConnectedTo(ssid), `the network ${ssid}`);
}

/** Every port of the device on each of its addresses, and the host on the cable. */
async function forbiddenTargets(device: Device): Promise<ProbeTarget[]> {
  const own = (
    await device.shell.ok("ip -4 -o addr show scope global | awk '{print $4}' | cut -d/ -f1")
  ).split('\n');
  const ports = [
    ...(await listeningPorts(device)),
    ...COMMON_PORTS.map((port) => ({ protocol: 'tcp' as const, port })),
  ].filter(({ protocol, port }) => !(protocol === 'udp' && port === 67));
  return [
    HOST,
    { ...HOST, host: '10.55.77.2' },
    ...own.flatMap((host) => ports.map((each) => ({ ...each, host }))),
  ];
}

/** Asserts that nothing of the device and nothing behind it answers in a network namespace. */
export async function assertUnreachable(device: Device, netns: string): Promise<void> {
  const targets = await forbiddenTargets(device);
  const results = await probe(device, netns, targets);
  const reached = targets.filter((_target, index) => results[index] !== 'silent');
  assert.deepEqual(reached, [], `reached from ${netns}, of ${targets.length}`);
}

/** What agent and supplicant hold: memory in MB, open files of the agent, networks of the supplicant. */
export async function held(
  device: Device,
): Promise<{ megabytes: number[]; files: number; networks: number }> {
  const output = await device.shell.ok(`agent=$(systemctl show -P MainPID vitrine-agent)
    for pid in $agent $(systemctl show -P MainPID wpa_supplicant); do sed -n 's/^VmRSS:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/$pid/status; done
    ls /proc/$agent/fd | wc -l
    for path in $(busctl --list tree fi.w1.wpa_supplicant1); do echo $path; done | grep -c /Networks/`);
  const [agent = 0, supplicant = 0, files = 0, networks = 0] = output.split('\n').map(Number);
  return { megabytes: [agent / 1024, supplicant / 1024], files, networks };
}
