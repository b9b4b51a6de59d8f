import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { within } from '../../testing/wait.ts';
import type { ContainerDevice } from './container-device.ts';

const READY_MS = 60_000;
const RUN_MS = 60_000;

/**
 * Has a network of its own, whose end takes everything with it. Takes the host's end of the cable of each container (its
 * interface host0), gets an address there as the container's host does, and stays until its input ends.
 */
const SCRIPT = `
set -eu
# The first process of the container that the process $1 has started.
first_of() {
  for pid in $(pgrep -x systemd); do
    ancestor=$pid
    while [ "$ancestor" -gt 1 ]; do
      ancestor=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$ancestor/status")
      if [ "$ancestor" = "$1" ]; then echo "$pid"; return; fi
    done
  done
}
ip link set lo up
number=0
for container; do
  first=$(first_of "$container")
  number=$((number + 1))
  network=/proc/$first/root/run/netns/host
  nsenter --net="$network" ip link set host0 down
  nsenter --net="$network" ip link set host0 name cable$number netns $$
  ip link set cable$number up
  chroot "/proc/$first/root" /usr/bin/busybox udhcpc -n -q -t 10 -T 1 -A 1 -i cable$number -O staticroutes \\
    -s /run/vitrine-host-cable/lease >&2
done
echo $$
exec cat >/dev/null`;

/** A host with the cables of several devices: cable1, cable2, … */
export interface HostWithCables {
  /** Runs a command there. @returns its standard output @throws when it fails */
  run(command: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  close(): Promise<void>;
}

/** Plugs the cables of containers into one host. The containers must be thrown away afterwards. */
export async function hostWithCables(
  asRoot: readonly string[],
  devices: readonly ContainerDevice[],
): Promise<HostWithCables> {
  const root = (...command: string[]): [string, string[]] => {
    const [program = '', ...args] = [...asRoot, ...command];
    return [program, args];
  };
  const containers = devices.map(({ host }) => String(host.pid));
  const host = spawn(...root('unshare', '--net', 'sh', '-c', SCRIPT, 'host', ...containers), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(host, 'close');
  const close = async (): Promise<void> => {
    host.stdin.end();
    await ended;
  };
  const failed = ended.then(() => {
    throw new Error('the host with the cables has ended');
  });
  failed.catch(() => undefined);
  try {
    const ready = once(createInterface(host.stdout), 'line');
    const [pid] = await within(Promise.race([ready, failed]), READY_MS, 'an address at every cable');
    return {
      run: async (command, env = {}) => {
        const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
        const inside = root('nsenter', `--net=/proc/${pid}/ns/net`, 'env', ...settings, ...command);
        return (await promisify(execFile)(...inside, { timeout: RUN_MS })).stdout;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
