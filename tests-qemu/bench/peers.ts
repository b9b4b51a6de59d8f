import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { run } from '../../ci/image/lib/run.ts';
import { cacheFolder } from '../../ci/lib/places.ts';
import { HOST_ADDRESS } from '../../ci/qemu/arguments.ts';
import type { Device } from '../harness/device.ts';

/** The programs that the device is compared with, and the libraries of them that the image does not have. */
const PACKAGES = [
  'cog',
  'grim',
  'libhidapi-hidraw0',
  'libmanette-0.2-0',
  'libwpebackend-fdo-1.0-1',
  'wpewebkit-webdriver',
];
const INSTALL_MS = 120_000;

/** Downloads the packages from the same state of Debian as the image's, and gives them as one archive. */
async function archive(): Promise<Buffer> {
  const folder = join(cacheFolder(), 'peers');
  const root = join(folder, 'root');
  await mkdir(root, { recursive: true });
  const [store] = await readdir(join(cacheFolder(), 'packages'));
  const env = { APT_CONFIG: join(cacheFolder(), 'packages', store ?? '', 'apt.conf') };
  await run('apt-get', ['download', ...PACKAGES], { env, cwd: folder, timeoutMinutes: 10 });
  for (const file of await readdir(folder)) {
    if (file.endsWith('.deb')) await run('dpkg-deb', ['-x', join(folder, file), root]);
  }
  await run('tar', ['-C', root, '-cf', join(folder, 'peers.tar'), 'usr/bin', 'usr/lib']);
  return await readFile(join(folder, 'peers.tar'));
}

/** Puts the peers on the root file system of a machine, whose disk is its own, or over that of a container, which is not. */
export async function installPeers({ shell, kind }: Device): Promise<void> {
  const bytes = await archive();
  const server = createServer((_request, response) => void response.end(bytes));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const fetching = `fetch('http://${HOST_ADDRESS}:${port}/').then((answer) => answer.bytes())`;
    const unpack = (folder: string): string =>
      `node -e "${fetching}.then((all) => process.stdout.write(all))" | tar -x -C ${folder}`;
    await shell.ok(
      kind === 'container'
        ? `mkdir /run/peers && ${unpack('/run/peers')} && mount -t overlay -o lowerdir=/run/peers/usr:/usr overlay /usr`
        : `mount -o remount,rw / && ${unpack('/')} && ldconfig`,
      INSTALL_MS,
    );
  } finally {
    server.close();
  }
}
