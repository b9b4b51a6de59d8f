import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { EVIDENCE } from '../../ci/lib/places.ts';
import { tailOf } from '../../ci/lib/virtual-device.ts';
import type { Device } from './device.ts';

const SHELL_TIMEOUT_MS = 30_000;

/**
 * Saves evidence of a failed test: console, journal, units, both pictures of the screen, API responses. When something is
 * not available, its file contains the error instead.
 * @returns the folder
 */
export async function saveEvidence(device: Device, test: string): Promise<string> {
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const folder = join(EVIDENCE, `${stamp}-${test.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 60)}`);
  await mkdir(folder, { recursive: true });
  const save = async (name: string, read: () => Promise<string | Buffer>): Promise<void> => {
    const content = await read().catch((error: unknown) => `not available: ${errorMessage(error)}\n`);
    await writeFile(join(folder, name), content);
  };
  const json = (path: string) => async (): Promise<string> =>
    JSON.stringify(await device.http('GET', path, { timeoutMs: 10_000 }).then(({ body }) => body), null, 2);
  const shell = (script: string) => (): Promise<string> => device.shell.ok(script, SHELL_TIMEOUT_MS);
  await copyFile(device.paths.console, join(folder, 'console.log')).catch(() => undefined);
  for (const log of ['qemu.log', 'slirp.log']) {
    await copyFile(join(device.paths.folder, log), join(folder, log)).catch(() => undefined);
  }
  await device.screenFile().then(
    ({ bytes, type }) => writeFile(join(folder, `screen.${type}`), bytes),
    (error: unknown) => writeFile(join(folder, 'screen.txt'), `not available: ${errorMessage(error)}\n`),
  );
  await save('screenshot.png', async () => {
    const { status, bytes } = await device.http('GET', '/display/screenshot', { timeoutMs: 20_000 });
    if (status !== 200) throw new Error(`${status} ${bytes.toString().slice(0, 300)}`);
    return bytes;
  });
  await save('display.json', json('/display'));
  await save('health.json', json('/device/health'));
  await save('journal.txt', shell('journalctl --no-pager -b -o short-precise -n 4000'));
  await save(
    'units.txt',
    shell('systemctl --no-pager --failed; systemctl --no-pager status "vitrine*"; ps axf 2>/dev/null'),
  );
  // Both ends of the emulated cable with their packet counters.
  await save(
    'network.txt',
    shell(
      'ip -s address; echo; ip -n host -s address; echo; networkctl --no-pager status gadget0; ss -lun; nft list ruleset',
    ),
  );
  return folder;
}

/** The end of the console, indented for the report. */
export async function consoleTail(device: Device): Promise<string> {
  return (await tailOf(device.paths.console, 25)).replaceAll(/^/gm, '    | ');
}
