/**
 * Saves a machine once and restores it any number of times. The state of memory, processors and devices is one migration
 * stream; the disk is the base of each restored machine's overlay. The memory is not mapped from a file
 * (`memory-backend-file`, x-ignore-shared), although that would save copying it: such a machine stays slower, because
 * Linux uses huge pages only for anonymous memory and copies each small page on its first write.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { waitFor } from '../../testing/wait.ts';
import { type MachineSettings, qemuArguments } from './arguments.ts';
import type { BuiltImage } from './image.ts';
import type { Machine } from './machine.ts';
import { shellQuote } from './shell.ts';

const MIGRATION_TIMEOUT_MS = 120_000;
/** No limit in practice, since the target is a file; QEMU's default is 128 MiB/s. */
const SAVE_BANDWIDTH = { 'max-bandwidth': 2 ** 40 };

/** The files of a saved machine. */
export interface SnapshotFiles {
  /** qcow2, the base of a restored machine's overlay. */
  disk: string;
  state: string;
  /** Size of the disk and hash of the state. Written last. */
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

/** A machine's settings without the ports and paths, which may differ between the saved machine and a restored one. */
function withoutHostPaths(settings: MachineSettings): MachineSettings {
  return {
    ...settings,
    disk: '',
    console: '',
    ...(settings.soundFile === undefined ? {} : { soundFile: '' }),
    monitors: settings.monitors.map(() => ''),
    ports: settings.ports.map(({ name }) => ({ name, socket: '' })),
    apiPort: 0,
    httpsPort: 0,
    credentials: (settings.credentials ?? []).map(({ name }) => ({ name, file: '' })),
    incoming: false,
  };
}

/**
 * A hash of everything that a snapshot depends on, as 24 hexadecimal digits: the image, QEMU, all arguments of the
 * machine except ports and paths, the content of its credentials, this computer's processor, and `more`.
 * @param more other inputs, such as the source code that creates the snapshot
 */
export async function snapshotKey(
  image: BuiltImage,
  settings: MachineSettings,
  more: string,
): Promise<string> {
  const credentials = await Promise.all(
    (settings.credentials ?? []).map(async ({ name, file }) => [name, await readFile(file, 'base64')]),
  );
  const parts = {
    image: [image.id, image.disk],
    qemu: settings.qemu.version,
    // Even an emulated processor derives its time from this computer's.
    processor: cpus()[0]?.model,
    arguments: qemuArguments(withoutHostPaths(settings)),
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

/** Waits for a migration. Throws when it fails, when QEMU ends, or at the time limit. */
async function waitForMigration(machine: Machine): Promise<void> {
  const ended = await waitFor(
    async () => {
      // QEMU exits when it cannot read the state.
      if (!machine.running) return { status: 'failed', 'error-desc': 'QEMU exited' };
      const status = Object(await machine.qmp.execute('query-migrate'));
      return status.status === 'completed' || status.status === 'failed' ? status : undefined;
    },
    { timeoutMs: MIGRATION_TIMEOUT_MS, what: 'the machine’s state', intervalMs: 20 },
  );
  if (ended.status === 'failed')
    throw new Error(`the migration failed: ${ended['error-desc'] ?? 'no reason given'}`);
}

/** Saves a machine whose disk is the one in `files`, and ends it. */
export async function saveSnapshot(machine: Machine, files: SnapshotFiles): Promise<void> {
  await machine.qmp.execute('stop');
  await machine.qmp.execute('migrate-set-parameters', SAVE_BANDWIDTH);
  await machine.qmp.execute('migrate', { uri: `exec:cat >${shellQuote(files.state)}` });
  await waitForMigration(machine);
  // The disk file is complete only after QEMU has closed it.
  await machine.quit();
  // Otherwise a crash of this computer could leave files of the right size whose content was never written.
  for (const path of [files.disk, files.state]) await flush(path);
  await noteSnapshot(files);
}

/** Writes the index of the other files. */
export async function noteSnapshot(files: SnapshotFiles): Promise<void> {
  await writeFile(files.index, JSON.stringify(await indexOf(files)));
}

/** Throws when the files have changed since they were written. Of the disk only the size is checked. */
export async function checkSnapshot(files: SnapshotFiles): Promise<void> {
  const noted: unknown = JSON.parse(await readFile(files.index, 'utf8'));
  if (!Value.Check(Index, noted)) throw new Error(`${files.index} is damaged`);
  const found = await indexOf(files);
  for (const key of ['diskBytes', 'stateSha256'] as const) {
    if (found[key] !== noted[key]) throw new Error(`${key} is ${found[key]} and was ${noted[key]}`);
  }
}

/** Restores the saved state into a machine that was started with `incoming`, and resumes it. */
export async function resumeSnapshot(machine: Machine, files: SnapshotFiles): Promise<void> {
  await machine.qmp.execute('migrate-incoming', { uri: `exec:cat <${shellQuote(files.state)}` });
  await waitForMigration(machine);
  await machine.qmp.execute('cont');
}
