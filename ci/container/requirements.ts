import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Problem } from '../lib/problem.ts';
import { rootPrefix } from '../setup.ts';

const PROBE_TIMEOUT_MS = 10_000;
const CGROUP_2 = /^\S+ \S+ cgroup2 /m;

/** What containers of this computer lack; each is checked only if those before it are there. */
const REQUIREMENTS: { missing: () => boolean; says: string }[] = [
  {
    missing: () => !existsSync('/dev/loop-control'),
    says: 'there are no loop devices (/dev/loop-control)',
  },
  {
    missing: () => !existsSync('/dev/net/tun'),
    says: 'there are no virtual network interfaces (/dev/net/tun)',
  },
  {
    missing: () => !CGROUP_2.test(readFileSync('/proc/self/mounts', 'utf8')),
    says: 'no control groups of version 2 are mounted',
  },
];

/**
 * Why this computer cannot run the device in a container, in a sentence; undefined if it can.
 * @param asRoot command prefix that runs a program as root; undefined when this user may not
 */
export function containerObstacle(asRoot: string[] | undefined): string | undefined {
  if (!asRoot) return 'a container needs root: run this as root, or allow this user to use sudo.';
  const lack = REQUIREMENTS.find(({ missing }) => missing());
  if (lack) return `this computer cannot run containers: ${lack.says}.`;
  const [program = '', ...args] = [
    ...asRoot,
    'unshare',
    '--mount',
    '--net',
    '--pid',
    '--ipc',
    '--fork',
    'true',
  ];
  const probe = spawnSync(program, args, { encoding: 'utf8', timeout: PROBE_TIMEOUT_MS });
  if (probe.status === 0) return undefined;
  return `this computer cannot run containers: it denies namespaces even to root (${(probe.stderr || 'no answer').trim()}).`;
}

/** The command prefix that runs a program as root. Throws a {@link Problem} when no container can run here. */
export function requireContainers(): string[] {
  const asRoot = rootPrefix();
  const obstacle = containerObstacle(asRoot);
  if (obstacle !== undefined || !asRoot)
    throw new Problem(`${obstacle} QEMU needs none of this: leave out --container.`);
  return asRoot;
}
