/** Updates compared with RAUC's own command, the memory of the agent while it receives, and what streaming fetches. */

import { open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Figure, interleaved } from '../../ci/bench/measure.ts';
import { ensureImage } from '../../ci/qemu/image.ts';
import { field } from '../../testing/field.ts';
import type { Device } from '../harness/device.ts';
import { changedBundle, install, operationEnd, putBundle, serveFile } from '../harness/updates.ts';

const ROUNDS = 3;
const INSTALL_MS = 20 * 60_000;
const LARGE_BYTES = 500_000_000;
const MIB = 2 ** 20;
const AGENT = '/usr/lib/vitrine/agent/agent.js';
const AGENT_RSS = "awk '/^VmRSS/ { print $2 }' /proc/$(systemctl show -P MainPID vitrine-agent)/status";

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

/** Growth of the agent's memory while it receives a large file, in MiB. */
async function memoryOfUpload(device: Device, folder: string): Promise<number> {
  const path = join(folder, 'large');
  const file = await open(path, 'w');
  const superblock = Buffer.alloc(48);
  superblock.write('hsqs');
  await file.write(superblock);
  await file.truncate(LARGE_BYTES);
  await file.close();
  try {
    const rss = async () => Number(await device.shell.ok(AGENT_RSS)) / 1024;
    const before = await rss();
    let most = before;
    let sending = true;
    const sent = putBundle(device, path).finally(() => {
      sending = false;
    });
    while (sending) most = Math.max(most, await rss());
    const { body } = await sent;
    await operationEnd(device, field(body, 'operation_id'));
    return Math.max(most, await rss()) - before;
  } finally {
    await rm(path, { force: true });
  }
}

export async function updateFigures(device: Device): Promise<Figure[]> {
  const image = await ensureImage();
  const folder = dirname(image.disk);
  const bundle = await changedBundle(image, '0.9.3');
  const memory = await memoryOfUpload(device, folder);
  const served = await serveFile(bundle);
  const copy = '/data/by-hand.raucb';
  const byHand = () =>
    timed(() =>
      device.shell.ok(
        `busybox wget -qO ${copy} ${served.url} && rauc install ${copy} && rm ${copy}`,
        INSTALL_MS,
      ),
    );
  // The first one writes the whole slot; the others find its content there.
  await install(device, bundle);
  const times = await interleaved(ROUNDS, () => timed(() => install(device, bundle)), byHand);
  served.server.close();
  const changed = await changedBundle(image, '0.9.4', { [AGENT]: (text) => `${text}// changed\n` });
  const streamed = await serveFile(changed);
  await device.shell.ok(`rauc install ${streamed.url}`, INSTALL_MS);
  streamed.server.close();
  const share = (100 * streamed.sent()) / (await stat(changed)).size;
  return [
    {
      name: 'update, PUT to done',
      ours: times.ours,
      unit: 's',
      peer: { name: 'wget and rauc install', values: times.peer },
      aim: { of: 'ratio', atMost: 1.1 },
    },
    {
      name: `agent's memory, upload of ${LARGE_BYTES / 1e6} MB`,
      ours: [memory],
      unit: 'MiB more',
      aim: { of: 'value', atMost: 32e6 / MIB },
    },
    {
      name: 'fetched of a bundle with another agent',
      ours: [share],
      unit: '% of it',
      aim: { of: 'value', atMost: 10 },
    },
  ];
}
