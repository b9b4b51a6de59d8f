import assert from 'node:assert/strict';
import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { tcg } from './acceleration.ts';
import type { MachineSettings } from './arguments.ts';
import { checkSnapshot, noteSnapshot, snapshotFiles, snapshotKey } from './snapshot.ts';

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-snapshot-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('the key does not depend on ports and paths, but on everything that the guest could notice', () =>
  inFolder(async (folder) => {
    const unit = async (name: string, text: string): Promise<string> => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    const image = { id: 'one', disk: '/images/one/disk.img', firmware: '/f', kernel: '/k' };
    const program = { file: '/cache/qemu', args: [], env: {} };
    const qemu = { version: '11.1.2', system: program, image: program };
    const settings: MachineSettings = {
      qemu,
      acceleration: tcg('no KVM'),
      firmware: '/f',
      disk: '/tests/a.qcow2',
      diskCache: 'unsafe',
      console: '/run/a/console',
      monitors: ['/run/a/qmp'],
      ports: [{ name: 'org.vitrine.serial', socket: '/run/a/serial' }],
      apiPort: 1000,
      httpsPort: 1001,
      screen: 'vnc',
      serialNumber: 'VIRT-1',
      credentials: [{ name: 'unit', file: await unit('a', '[Unit]') }],
    };
    const key = await snapshotKey(image, settings, 'program');
    assert.match(key, /^[0-9a-f]{24}$/);
    const moved: MachineSettings = {
      ...settings,
      qemu: { ...qemu, system: { ...program, file: '/other/qemu' } },
      disk: '/tests/b.qcow2',
      console: '/run/b/console',
      monitors: ['/run/b/qmp'],
      ports: [{ name: 'org.vitrine.serial', socket: '/run/b/serial' }],
      apiPort: 2000,
      httpsPort: 2001,
      credentials: [{ name: 'unit', file: await unit('b', '[Unit]') }],
      incoming: true,
    };
    assert.equal(await snapshotKey(image, moved, 'program'), key);
    const others = [
      snapshotKey({ ...image, id: 'two' }, settings, 'program'),
      snapshotKey(image, { ...settings, qemu: { ...qemu, version: '10.0.2' } }, 'program'),
      snapshotKey(image, settings, 'another program'),
      ...[
        { memoryMb: 768 },
        { cpus: 1 },
        { serialNumber: 'VIRT-2' },
        { screen: 'none' as const },
        { diskCache: 'writeback' as const },
        { ports: [...settings.ports, { name: 'org.vitrine.shell', socket: '/run/a/shell' }] },
        { credentials: [{ name: 'unit', file: await unit('c', '[Unit]\nWants=more') }] },
        { credentials: [{ name: 'other', file: join(folder, 'a') }] },
      ].map((changed) => snapshotKey(image, { ...settings, ...changed }, 'program')),
    ];
    const keys = new Set([key, ...(await Promise.all(others))]);
    assert.equal(keys.size, others.length + 1, 'two keys are equal');
  }));

test('changed and missing files are reported', () =>
  inFolder(async (folder) => {
    const files = snapshotFiles(folder);
    const write = async (): Promise<void> => {
      for (const path of [files.disk, files.state]) await writeFile(path, 'content of it');
      await noteSnapshot(files);
    };
    await write();
    await checkSnapshot(files);
    for (const [damage, told] of [
      [() => writeFile(files.state, 'content of iT'), /stateSha256/],
      [() => truncate(files.disk, 5), /diskBytes is 5 and was 13/],
      [() => appendFile(files.disk, 'more'), /diskBytes/],
      [() => rm(files.disk), /ENOENT/],
      [() => rm(files.index), /ENOENT/],
      [() => writeFile(files.index, '{}'), /index\.json is damaged/],
      [() => writeFile(files.index, ''), /JSON/],
    ] as const) {
      await write();
      await damage();
      await assert.rejects(checkSnapshot(files), told);
    }
  }));
