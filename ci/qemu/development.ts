import { join } from 'node:path';
import { buildAgent } from '../build-agent.ts';
import { ROOT } from '../lib/places.ts';
import type { MachineSettings } from './arguments.ts';
import type { InstancePaths } from './instance.ts';

/** Mount tag of the folder that `--dev` shares with the device. */
export const AGENT_SHARE = 'vitrine-agent';

/** What `npm start -- --dev` adds to the machine: agent/dist, shared read-only, and a root shell to restart the agent. */
export async function developmentSettings(
  paths: InstancePaths,
): Promise<Pick<MachineSettings, 'shares' | 'ports'>> {
  const dist = join(ROOT, 'agent/dist');
  await buildAgent(dist);
  return {
    shares: [{ tag: AGENT_SHARE, folder: dist }],
    ports: [
      { name: 'org.vitrine.serial', socket: paths.serial },
      { name: 'org.vitrine.shell', socket: paths.shell },
    ],
  };
}
