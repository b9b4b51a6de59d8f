/**
 * Hard kills of a process with the real store in the middle of uploads, replacements and deletes. After each, what was
 * acknowledged is there as it was, nothing half is listed, and nothing else is left. A kill keeps what the system has
 * not written to the disk yet; what a power cut leaves, the scenario `cuts` shows.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { repetitions } from '../../../../testing/long-runs.ts';
import { killAtChange } from '../../../../testing/processes.ts';
import { bundle, STORED, sha256 } from './tests/content.ts';
import type { Order, Report } from './tests/store-process.ts';

const KILLS = repetitions(16, 160);
/** Devices that are killed side by side, each with a folder of its own. */
const DEVICES = 2;
const NAMES = ['menu', 'lobby'];
/** The first so many changes in the folder have a kill each; a small upload makes about ten, a large one thirty. */
const CHANGES = 40;
const START_TIMEOUT_MS = 30_000;

interface Archive {
  path: string;
  sha256: string;
}

let folder: string;
let program: string;
let archives: Archive[];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-kill-content-'));
  program = join(folder, 'store.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('tests/store-process.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  // Two have the same size: only their hashes tell them apart.
  const sizes = [0, 0, 20_000, 300_000, 1_000_000];
  archives = await Promise.all(
    sizes.map(async (size, index) => {
      const bytes = await bundle(`version ${index}`, size);
      const path = join(folder, `archive-${index}.zip`);
      await writeFile(path, bytes);
      return { path, sha256: sha256(bytes) };
    }),
  );
});
after(() => rm(folder, { recursive: true, force: true }));

/** What a name may hold after a kill: what was acknowledged last, and what was on its way. Undefined: no bundle. */
interface Expected {
  acknowledged: string | undefined;
  inFlight: string | undefined;
}

interface Device {
  folder: string;
  names: Map<string, Expected>;
  ended: number;
}

function pick<T>(list: readonly T[]): T {
  return list[Math.floor(Math.random() * list.length)] ?? assert.fail('the list is empty');
}

function start(device: Device): { child: ChildProcess; found: Promise<Report | undefined> } {
  const child = fork(program, [device.folder], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const late = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  const found = new Promise<Report | undefined>((resolve) => {
    child.once('message', (report: Report) => resolve(report));
    child.once('exit', () => resolve(undefined));
  }).finally(() => clearTimeout(late));
  return { child, found };
}

function compare(device: Device, found: Report): void {
  assert.ok(found.type === 'found');
  const listed = new Map(found.bundles.map((one) => [one.name, one]));
  for (const [name, expected] of device.names) {
    const one = listed.get(name);
    const allowed = [expected.acknowledged, expected.inFlight];
    assert.ok(
      allowed.includes(one?.sha256),
      `${name} is ${one?.sha256}, and not one of ${allowed.join(', ')}`,
    );
    if (one) assert.equal(one.check, 'ok');
    expected.acknowledged = one?.sha256;
    expected.inFlight = one?.sha256;
    listed.delete(name);
  }
  assert.equal(listed.size, 0, 'nothing else is listed');
}

/** Starts the process on what the last kill left, and lets it work on every name until it is killed. */
async function round(device: Device, number: number): Promise<void> {
  const { child, found } = start(device);
  const exited = once(child, 'exit');
  try {
    // Some kills meet the start, while it brings in order what the kill before has left.
    if (number % 8 === 7) setTimeout(() => child.kill('SIGKILL'), 40 + Math.random() * 100);
    const report = await found;
    if (!report) return;
    compare(device, report);
    const expectedFiles = [...device.names].flatMap(([name, { acknowledged }]) =>
      acknowledged ? [`${name} ${acknowledged}`] : [],
    );
    const files = (await readdir(device.folder)).map((file) => file.replace(STORED, '$1 $2'));
    assert.deepEqual(files.sort(), expectedFiles.sort());

    // The changes in a mixed order, so that few kills meet early and late ones.
    killAtChange(child, device.folder, 1 + ((number * 17) % CHANGES));
    const order = (name: string) => {
      const expected = device.names.get(name) ?? assert.fail('an unknown name');
      const archive = expected.acknowledged && Math.random() < 0.3 ? undefined : pick(archives);
      expected.inFlight = archive?.sha256;
      const message: Order = { name, ...(archive ? { archive: archive.path } : {}) };
      // A process that was killed takes no more orders.
      child.send(message, () => undefined);
    };
    child.on('message', (ended: Report) => {
      assert.ok(ended.type === 'ended');
      const expected = device.names.get(ended.name) ?? assert.fail('an unknown name');
      expected.acknowledged = expected.inFlight;
      device.ended += 1;
      order(ended.name);
    });
    for (const name of device.names.keys()) order(name);
    await exited;
  } finally {
    child.kill('SIGKILL');
  }
}

test(`${KILLS} hard kills in the middle of uploads, replacements and deletes`, {
  timeout: 280_000,
}, async (t) => {
  const devices = Array.from({ length: DEVICES }, (_, index): Device => {
    const names = NAMES.map((name): [string, Expected] => [
      name,
      { acknowledged: undefined, inFlight: undefined },
    ]);
    return { folder: join(folder, `device-${index}`), names: new Map(names), ended: 0 };
  });
  let left = KILLS;
  await Promise.all(
    devices.map(async (device) => {
      await mkdir(device.folder);
      while (left > 0 && !t.signal.aborted) {
        left -= 1;
        await round(device, left);
      }
    }),
  );
  const ended = devices.reduce((sum, device) => sum + device.ended, 0);
  t.diagnostic(`${KILLS} kills, ${ended} orders ended`);
  assert.ok(ended > KILLS / 2, `only ${ended} orders ended: the kills met too little work`);
  for (const device of devices) {
    const { child, found } = start(device);
    const report = await found;
    child.disconnect();
    assert.ok(report);
    compare(device, report);
  }
});
