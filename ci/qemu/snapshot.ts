/**
 * A machine that is saved once and goes on as often as wanted. Its memory and the state of its processors and devices
 * are one migration stream, its disk is the base of each restored machine's overlay. The memory is not mapped from a
 * file (`memory-backend-file`, x-ignore-shared), although that needs no copy: a machine that maps a file runs slower for
 * as long as it lives, since Linux gives huge pages to anonymous memory only, and copies each small page that it writes.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { waitFor } from '../lib/wait.ts';
import { type MachineSettings, qemuArguments } from './arguments.ts';
import type { BuiltImage } from './image.ts';
import type { Machine } from './machine.ts';
import { shellQuote } from './shell.ts';

const MIGRATION_TIMEOUT_MS = 120_000;
/** A file takes it as fast as it comes; QEMU's own limit is 128 MiB/s. */
const SAVE_BANDWIDTH = { 'max-bandwidth': 2 ** 40 };

/** The files of a saved machine. */
export interface SnapshotFiles {
  /** qcow2, the base of a restored machine's overlay. */
  disk: string;
  state: string;
  /** Says how big the others are. Written last. */
  index: string;
}

export function snapshotFiles(folder: string): SnapshotFiles {
  const at = (file: string): string => join(folder, file);
  return { disk: at('disk.qcow2'), state: at('state'), index: at('index.json') };
}

const Index = Type.Object({
  diskBytes: Type.Integer(),
  stateSha256: Type.String(),
});

/** A machine's settings without what may differ between the saved machine and a restored one. */
function withoutPlaces(settings: MachineSettings): MachineSettings {
  return {
    ...settings,
    disk: '',
    console: '',
    monitors: settings.monitors.map(() => ''),
    ports: settings.ports.map(({ name }) => ({ name, socket: '' })),
    apiPort: 0,
    httpsPort: 0,
    credentials: (settings.credentials ?? []).map(({ name }) => ({ name, file: '' })),
    incoming: false,
  };
}

/**
 * What a snapshot depends on, as 24 hexadecimal digits: the image, QEMU, every argument of the machine but its ports
 * and paths, what is in its credentials, this computer's processor, and `more`.
 * @param more what else it was made by, such as the text of the program
 */
export async function snapshotKey(
  image: BuiltImage,
  qemu: string,
  settings: MachineSettings,
  more: string,
): Promise<string> {
  const credentials = await Promise.all(
    (settings.credentials ?? []).map(async ({ name, file }) => [name, await readFile(file, 'base64')]),
  );
  const parts = {
    image: [image.id, image.disk],
    qemu,
    // Also an emulated one counts time at the pace of this computer's.
    processor: cpus()[0]?.model,
    arguments: qemuArguments(withoutPlaces(settings)),
    credentials,
    more,
  };
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24);
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function indexOf(files: SnapshotFiles): Promise<Static<typeof Index>> {
  return {
    diskBytes: (await stat(files.disk)).size,
    stateSha256: await sha256Of(files.state),
  };
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Waits for a migration; throws Error when it fails, QEMU ends over it, or it does not end in its time. */
async function migrated(machine: Machine): Promise<void> {
  const ended = await waitFor(
    async () => {
      // QEMU ends by itself on a state that it cannot read.
      if (!machine.running) return { status: 'failed', 'error-desc': 'it ended' };
      const status = Object(await machine.qmp.execute('query-migrate'));
      return status.status === 'completed' || status.status === 'failed' ? status : undefined;
    },
    { timeoutMs: MIGRATION_TIMEOUT_MS, what: 'the machine’s state', intervalMs: 20 },
  );
  if (ended.status === 'failed')
    throw new Error(`QEMU does not take it: ${ended['error-desc'] ?? 'no reason'}`);
}

/** Saves a machine whose disk is the one in `files`, and ends it. */
export async function saveSnapshot(machine: Machine, files: SnapshotFiles): Promise<void> {
  await machine.qmp.execute('stop');
  await machine.qmp.execute('migrate-set-parameters', SAVE_BANDWIDTH);
  await machine.qmp.execute('migrate', { uri: `exec:cat >${shellQuote(files.state)}` });
  await migrated(machine);
  // The disk is whole when QEMU has closed it.
  await machine.quit();
  // A crash of this computer must not leave a snapshot of the right size whose content was never written.
  for (const path of [files.disk, files.state]) await flush(path);
  await noteSnapshot(files);
}

/** Writes the index of the other files. */
export async function noteSnapshot(files: SnapshotFiles): Promise<void> {
  await writeFile(files.index, JSON.stringify(await indexOf(files)));
}

/** Throws Error when the files are not as they were written. The disk's size is looked at, its content is not. */
export async function checkSnapshot(files: SnapshotFiles): Promise<void> {
  const noted: unknown = JSON.parse(await readFile(files.index, 'utf8'));
  if (!Value.Check(Index, noted)) throw new Error(`${files.index} is damaged`);
  const found = await indexOf(files);
  for (const key of ['diskBytes', 'stateSha256'] as const) {
    if (found[key] !== noted[key]) throw new Error(`${key} is ${found[key]} and was ${noted[key]}`);
  }
}

/** Lets a machine that was started with `incoming` go on where the saved one stopped. */
export async function resumeSnapshot(machine: Machine, files: SnapshotFiles): Promise<void> {
  await machine.qmp.execute('migrate-incoming', { uri: `exec:cat <${shellQuote(files.state)}` });
  await migrated(machine);
  await machine.qmp.execute('cont');
}
