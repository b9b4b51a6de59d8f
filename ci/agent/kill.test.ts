/**
 * Kills the real agent with SIGKILL in the middle of patches. After each kill, config.json parses and is the last
 * acknowledged configuration or the one that was being written. A kill keeps data that is not on the disk yet; the
 * scenario `cuts` tests power cuts.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { TEMPORARY_FILE } from '../../agent/src/base/atomic-file.ts';
import { isObject, mergePatch } from '../../agent/src/resources/config/tree.ts';
import { repetitions } from '../../testing/long-runs.ts';
import { killAtChange } from '../../testing/processes.ts';
import { buildAgent } from '../build-agent.ts';
import { ROOT } from '../lib/places.ts';

const KILLS = repetitions(16, 300);
/** Devices that run in parallel, each with its own data folder. */
const DEVICES = 2;
/**
 * A patch creates, writes and renames a file: four changes in the folder. The kills go through the changes of the first
 * patches one by one.
 */
const CHANGES = 8;
const START_TIMEOUT_MS = 60_000;

let folder: string;
const main = (): string => join(folder, 'agent', 'main.mjs');

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-kill-'));
  await buildAgent(join(folder, 'agent'));
  // Makes the starts faster.
  const compile = spawn(process.execPath, ['--input-type=module', '-', main()], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = once(compile, 'exit');
  compile.stdin.end(await readFile(join(ROOT, 'ci/image/compile-agent.mjs')));
  assert.deepEqual(await exited, [2, null]);
});
after(() => rm(folder, { recursive: true, force: true }));

interface Running {
  child: ChildProcess;
  exited: Promise<unknown>;
  api: string;
}

async function start(data: string): Promise<Running> {
  const args = [main(), '--profile', 'generic', '--listen', '127.0.0.1:0', '--data', data];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const late = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  for await (const line of createInterface(child.stdout)) {
    const ready: unknown = JSON.parse(line);
    if (!isObject(ready) || ready.type !== 'ready' || !Array.isArray(ready.api)) continue;
    clearTimeout(late);
    return { child, exited, api: String(ready.api[0]) };
  }
  throw new Error(`the agent did not start: ${said.join('').slice(0, 2000)}`);
}

/** Status and JSON of one request; rejects when the agent dies before the answer is complete. */
function ask(connection: Agent, url: string, patch?: unknown): Promise<{ status: number; body: unknown }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: unknown }>();
  const headers = patch === undefined ? {} : { 'content-type': 'application/json' };
  const asked = request(url, { agent: connection, method: patch === undefined ? 'GET' : 'PATCH', headers });
  asked.on('error', reject).on('response', (response) => {
    const parts: Buffer[] = [];
    response.on('error', reject).on('data', (part: Buffer) => parts.push(part));
    response.on('end', () => {
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(parts).toString('utf8')) });
    });
  });
  asked.end(patch === undefined ? undefined : JSON.stringify(patch));
  return promise;
}

/** Documents of very different sizes, so that parts of two of them never form a valid one. */
function patchOf(count: number): object {
  const origins = Array.from(
    { length: (count * 7) % 60 },
    (_, index) => `https://page-${count}-${index}.example`,
  );
  return { device: { name: `patch ${count}` }, audio: { volume: count % 101 }, devices: { origins } };
}

interface Device {
  data: string;
  count: number;
  /** Possible contents of config.json after a kill: the last acknowledged document and the one being written. */
  acknowledged: unknown;
  inFlight: unknown;
}

async function stored(data: string): Promise<unknown> {
  const text = await readFile(join(data, 'config.json'), 'utf8').catch(() => '{"schema":1}');
  return JSON.parse(text);
}

/** Starts the agent with the files of the last kill, checks its configuration, patches until it is killed, checks the file. */
async function round(device: Device, change: number): Promise<void> {
  const { child, exited, api } = await start(device.data);
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const shown = await ask(connection, `${api}/config`);
    const found = await stored(device.data);
    assert.ok(isObject(shown.body) && isObject(found));
    assert.deepEqual(mergePatch(shown.body, found), shown.body, 'the agent uses the values of the file');

    killAtChange(child, device.data, change);
    for (;;) {
      device.count += 1;
      const patch = patchOf(device.count);
      device.inFlight = { schema: 1, ...patch };
      const answer = await ask(connection, `${api}/config`, patch).catch(() => undefined);
      if (!answer) break;
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      device.acknowledged = device.inFlight;
    }
    await exited;
  } finally {
    child.kill('SIGKILL');
    connection.destroy();
  }
  const left = await stored(device.data);
  const context = `patch ${device.count} was being written`;
  const isInFlight = JSON.stringify(left) === JSON.stringify(device.inFlight);
  assert.deepEqual(left, isInFlight ? device.inFlight : device.acknowledged, context);
  // The next round begins with the document on the disk, acknowledged or not.
  device.acknowledged = left;
}

test(`${KILLS} hard kills in the middle of patches leave a complete configuration`, {
  timeout: 560_000,
}, async (t) => {
  const devices = Array.from({ length: DEVICES }, (_, index) => ({
    data: join(folder, `data-${index}`),
    count: 0,
    acknowledged: { schema: 1 } as unknown,
    inFlight: undefined as unknown,
  }));
  let left = KILLS;
  await Promise.all(
    devices.map(async (device) => {
      while (left > 0 && !t.signal.aborted) {
        left -= 1;
        await round(device, 1 + (left % CHANGES));
      }
    }),
  );
  const patches = devices.reduce((sum, { count }) => sum + count, 0);
  t.diagnostic(`${KILLS} kills, ${patches} patches`);
  assert.ok(
    patches > KILLS,
    `only ${patches} patches were sent: the kills hit only the first one after each start`,
  );

  const { data } = devices[0] ?? assert.fail('there is a device');
  const { child, exited } = await start(data);
  child.kill('SIGTERM');
  await exited;
  const leftovers = (await readdir(data)).filter((name) => TEMPORARY_FILE.test(name));
  assert.deepEqual(leftovers, [], 'a start removes the temporary files of the kills');
});
