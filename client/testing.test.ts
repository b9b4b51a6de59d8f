import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isRunning } from '../testing/processes.ts';
import { waitFor, within } from '../testing/wait.ts';
import { startVirt } from './testing.ts';

const LIMIT_MS = 10_000;

/** What stands in for `npm start`: it ends with its channel, and says in the file `stopped` that it was stopped. */
const RUN = `
import { rmSync, writeFileSync } from 'node:fs';
const [script, ...args] = process.argv.slice(2);
const valueOf = (name) => args[args.indexOf(name) + 1];
const stop = () => {
  writeFileSync(new URL('../stopped-' + process.pid, import.meta.url), '');
  rmSync(valueOf('--ready-json'), { force: true });
  process.exit(0);
};
process.on('SIGTERM', stop);
process.once('disconnect', stop);
console.error('vitrine: ' + script + ' ' + args.join(' '));
`;
const READY = `${RUN}
const base = '127.0.0.1:9/api/v1';
const ready = { name: valueOf('--name'), api: 'http://' + base, https: 'https://' + base, docs: '', events: 'ws://' + base,
  serial: '/s', tty: '/t', qmp: null, vnc: null, host_address: '10.0.2.2', pid: process.pid };
writeFileSync(valueOf('--ready-json'), JSON.stringify(ready));
`;

/** A checkout whose `npm start` is a script. */
async function checkout(t: TestContext, script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'checkout-'));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'ci'));
  await writeFile(join(folder, 'ci/run.mjs'), script);
  return folder;
}

async function stopped(project: string): Promise<number> {
  return (await readdir(project)).filter((name) => name.startsWith('stopped-')).length;
}

test('devices are started side by side, and stopped when they are no longer used', async (t) => {
  const project = await checkout(t, READY);
  const lines: string[] = [];
  const [first, second] = await Promise.all([
    startVirt({ project, onProgress: (line) => lines.push(line) }),
    startVirt({ project, container: false }),
  ]);
  assert.notEqual(first.ready.name, second.ready.name);
  assert.match(lines.join('\n'), /^vitrine: start --container --headless --discard --port 0 /);
  await first.stop();
  await first.stop();
  assert.equal(await stopped(project), 1);
  {
    await using used = second;
    assert.ok(isRunning(used.ready.pid));
  }
  assert.equal(await stopped(project), 2);
});

test('a device is stopped when the process that has started it is killed', async (t) => {
  const project = await checkout(t, READY);
  const url = JSON.stringify(new URL('testing.ts', import.meta.url).href);
  const script = `const { startVirt } = await import(${url});
    console.log((await startVirt({ project: ${JSON.stringify(project)} })).ready.pid); setInterval(() => {}, 1000);`;
  const user = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [pid] = await within(once(user.stdout, 'data'), LIMIT_MS, 'the device');
  assert.ok(isRunning(Number(pid)));
  user.kill('SIGKILL');
  await waitFor(async () => (await stopped(project)) === 1, { timeoutMs: LIMIT_MS, what: 'the stop' });
});

test('a device that does not start says why, and nothing goes on', async (t) => {
  const failing = await checkout(t, "console.error('vitrine: the disk is full.'); process.exit(1);");
  await assert.rejects(startVirt({ project: failing }), /did not start:\nvitrine: the disk is full\.$/);
  const slow = await checkout(t, `${RUN} console.error('vitrine: building'); setInterval(() => {}, 1000);`);
  await assert.rejects(
    startVirt({ project: slow, timeoutMs: 1000 }),
    /was not ready within 1 s; the last of its output:\n[\s\S]*vitrine: building$/,
  );
  const stop = new AbortController();
  const started = startVirt({ project: slow, signal: stop.signal, onProgress: () => stop.abort() });
  await assert.rejects(started, { name: 'AbortError' });
  assert.equal(await stopped(slow), 2);
  await assert.rejects(startVirt({ project: tmpdir() }), /is no checkout of Vitrine/);
  delete process.env.VITRINE_PROJECT;
  await assert.rejects(startVirt(), /\$VITRINE_PROJECT/);
});

test('no ready file or log is left', async (t) => {
  const project = await checkout(t, READY);
  const { ready, stop } = await startVirt({ project });
  const left = async (): Promise<string[]> =>
    (await readdir(tmpdir())).filter((name) => name.includes(ready.name));
  assert.deepEqual((await left()).length, 1);
  assert.match(await readFile(join(tmpdir(), String(await left())), 'utf8'), /host_address/);
  await stop();
  assert.deepEqual(await left(), []);
});
