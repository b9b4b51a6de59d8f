import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { requireFreeSpace } from '../lib/places.ts';
import type { InstancePaths, PreparedDevice, StartRequest } from '../qemu/instance.ts';
import { freeHttpsPort } from '../qemu/ports.ts';
import { testCredentials } from '../qemu/test-credentials.ts';
import { setupHost } from '../setup.ts';
import { Container } from './container.ts';
import { ensureContainerImage } from './image.ts';
import { requireContainers } from './requirements.ts';

const DATA_ROOM = 2 ** 30;
const BOOT_TIMEOUT_MS = 60_000;

/** For `npm start -- --container`, everything before the start: packages, requirements, image, data partition. */
export async function prepareContainer(request: StartRequest, paths: InstancePaths): Promise<PreparedDevice> {
  const setup = setupHost('container').then(requireContainers);
  const image = await ensureContainerImage({ setup });
  const asRoot = await setup;
  await requireFreeSpace(request.storage, DATA_ROOM, 'the device’s data');
  const data = join(request.storage, 'data.ext4');
  if (request.fresh) await rm(data, { force: true });
  const settings = {
    ...image,
    asRoot,
    data,
    folder: paths.folder,
    console: paths.console,
    apiPort: request.apiPort,
    httpsPort: await freeHttpsPort(request.apiPort),
    serialNumber: request.serialNumber,
    credentials: request.dev ? await testCredentials('container') : [],
  };
  return {
    start: () => Container.start(settings),
    bootTimeoutMs: BOOT_TIMEOUT_MS,
    qmp: null,
    log: paths.console,
  };
}
