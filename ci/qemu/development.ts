import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAgent } from '../build-agent.ts';
import { runTool } from '../lib/tool.ts';
import type { MachineSettings } from './arguments.ts';
import type { InstancePaths } from './instance.ts';
import { served } from './served.ts';
import { GuestShell } from './shell.ts';
import { testCredentials } from './test-credentials.ts';

const TAR_TIMEOUT_MS = 30_000;
const SHELL_TIMEOUT_MS = 60_000;
const RESTART_TIMEOUT_MS = 120_000;

/**
 * Additional settings for `npm start -- --dev` and `--radios`: the root shell of the test suite, used to update the agent and
 * to load radios.
 */
export async function developmentSettings(
  paths: InstancePaths,
): Promise<Pick<MachineSettings, 'ports' | 'credentials'>> {
  return {
    ports: [
      { name: 'org.vitrine.serial', socket: paths.serial },
      { name: 'org.vitrine.shell', socket: paths.shell },
      { name: 'org.vitrine.relay', socket: paths.relay },
    ],
    credentials: await testCredentials(),
  };
}

/** Bundles the agent and packs the bundle as a tar file. */
async function packAgent(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-push-'));
  try {
    await buildAgent(join(folder, 'agent'));
    const tar = join(folder, 'agent.tar');
    const packed = await runTool('tar', ['-C', join(folder, 'agent'), '-cf', tar, '.'], TAR_TIMEOUT_MS);
    if (!packed.ok) throw new Error(`tar: ${packed.output}`);
    return await readFile(tar);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Copies the working tree's agent into a machine that was started with `--dev` and restarts it. The image is not changed:
 * the bundle is kept in memory and bind-mounted over the image's agent, until the device reboots.
 * @throws Error with the agent's last log lines when it does not start
 */
export async function pushAgent(paths: InstancePaths): Promise<void> {
  const tar = await packAgent();
  const shell = await GuestShell.connect(paths.shell);
  try {
    await shell.ready(SHELL_TIMEOUT_MS);
    await served(tar, (url) =>
      shell.ok(
        `set -e
        home=/run/vitrine-dev
        rm -rf $home/new && mkdir -p $home/new
        busybox wget -q -O $home/agent.tar ${url}
        tar -xf $home/agent.tar -C $home/new && rm $home/agent.tar
        systemctl stop vitrine-agent.service
        while umount /usr/lib/vitrine/agent 2>/dev/null; do :; done
        rm -rf $home/agent && mv $home/new $home/agent
        mount --bind $home/agent /usr/lib/vitrine/agent
        systemctl start vitrine-agent.service ||
          { journalctl -b -u vitrine-agent.service --no-pager -o cat -n 30; exit 1; }`,
        RESTART_TIMEOUT_MS,
      ),
    );
  } finally {
    shell.close();
  }
}
