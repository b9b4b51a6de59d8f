import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { cacheFolder, ROOT } from '../../ci/lib/places.ts';
import { runTool } from '../../ci/lib/tool.ts';
import { instancePaths } from '../../ci/qemu/instance.ts';
import { http, openSocket } from '../../client/http.ts';
import { openGreeted, openSerial } from '../../client/serial.ts';
import { ownerOf, type ReadyInfo, virtualDevices } from '../../client/virtual-devices.ts';
import { field } from '../../testing/field.ts';
import { certificate } from '../../testing/make-certificates.ts';
import { matchingState } from '../../testing/matching-state.ts';
import type { Colour } from '../../testing/png.ts';
import { isRunning } from '../../testing/processes.ts';
import { waitFor, within } from '../../testing/wait.ts';
import { connectSerial } from './device.ts';
import { removeLeftovers } from './leftovers.ts';
import type { PageServer } from './pages.ts';
import { waitForColours } from './screen.ts';
import type { ContextWithoutDevice } from './suite.ts';
import { VncClient } from './vnc.ts';

const VIOLET: Colour = [112, 40, 176];
const SAND: Colour = [224, 208, 128];
/** Longer than `npm start` itself waits for the API, so that a failure shows the message of `npm start`. */
const READY_MS = 480_000;
const REFUSAL_MS = 120_000;
const TLS_MS = 60_000;
/** Longer than `npm stop` waits for the device to power itself off. */
const STOP_MS = 120_000;
/** Time limit for a device that was ended to be gone. */
const GONE_MS = 60_000;
const FIELDS = [
  'name',
  'api',
  'https',
  'docs',
  'events',
  'serial',
  'tty',
  'qmp',
  'vnc',
  'host_address',
  'pid',
];

/** Uploads a certificate as described in the README, sends a request over HTTPS, and deletes the certificate. */
async function answersOverTls({ api, https }: ReadyInfo): Promise<void> {
  const own = certificate({ name: 'vitrine' });
  const headers = { 'content-type': 'application/x-pem-file' };
  const raw = own.cert + own.key;
  const url = `${api}/files/certificates/server`;
  assert.equal((await http('PUT', url, { raw, headers })).status, 204);
  const call = request(`${https}/device`, { ca: own.cert, signal: AbortSignal.timeout(TLS_MS) });
  call.end();
  const [response] = await once(call, 'response');
  response.resume();
  assert.equal(response.statusCode, 200);
  assert.equal((await http('DELETE', url)).status, 204);
}

/** A command of the project as npm runs it, and its output. */
class Command {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  stdout = '';
  stderr = '';

  constructor(script: string, args: string[]) {
    // It is stopped when this process ends, even by SIGKILL.
    const npm = [process.execPath, join(ROOT, 'ci/run.mjs'), script, ...args];
    this.child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', ...npm], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.ended = once(this.child, 'close');
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString();
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The exit code; null when a signal ended it. */
  async code(timeoutMs: number): Promise<number | null> {
    await within(this.ended, timeoutMs, `the command to end; it said: ${this.stderr.slice(-2000)}`);
    return this.child.exitCode;
  }
}

/** Waits for the ready file and returns its content. The tests check the fields. */
async function readyInfo(start: Command, file: string): Promise<ReadyInfo> {
  const text = await waitFor(
    async () => {
      if (!start.running) return 'ended';
      return await readFile(file, 'utf8').catch(() => undefined);
    },
    { timeoutMs: READY_MS, what: 'the ready file', intervalMs: 200 },
  );
  assert.notEqual(
    text,
    'ended',
    `npm start ended with ${start.child.exitCode}: ${start.stderr.slice(-4000)}`,
  );
  return JSON.parse(text);
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

/** Checks that a start is refused: exit code 1 and one line with the reason. */
async function refused(args: string[], why: RegExp): Promise<void> {
  const start = new Command('start', ['--headless', ...args]);
  try {
    assert.equal(await start.code(REFUSAL_MS), 1);
    assert.match(start.stderr.trim(), why);
    assert.doesNotMatch(start.stderr.trim(), /\n/, 'more than one line');
    assert.equal(start.stdout, '');
  } finally {
    if (start.running) start.child.kill('SIGKILL');
  }
}

/** Shows a page through the API of the ready file, and checks the result at all of its addresses. */
async function showPage(ready: ReadyInfo, pages: PageServer): Promise<void> {
  const page = new URL(pages.addColours(VIOLET, SAND));
  page.hostname = ready.host_address;
  const url = page.href;
  const socket = await openSocket(ready.events);
  const serial = await connectSerial(ready.serial);
  let screen: VncClient | undefined;
  try {
    screen = await VncClient.connect(String(ready.vnc));
    await socket.subscribe('display_state');
    await serial.frame('hello');
    await serial.subscribe('display_state');
    const [onSocket, onSerial] = [socket.events.mark, serial.events.mark];
    const answer = await http('POST', `${ready.api}/display/navigate`, { json: { url } });
    assert.equal(answer.status, 200, answer.bytes.toString());
    const client = screen;
    await waitForColours(() => client.picture(), VIOLET, SAND, 180_000);
    const shown = (payload: unknown): boolean =>
      field(payload, 'url') === url &&
      field(payload, 'loading') === false &&
      field(payload, 'error') === null;
    // The first matching state is not enough: soon after a boot other fields of the display state may still change.
    const display = async (): Promise<unknown> => {
      const { body } = await http('GET', `${ready.api}/display`);
      return shown(body) ? body : 'not yet';
    };
    await matchingState(socket.events, 'display_state', onSocket, display);
    await matchingState(serial.events, 'display_state', onSerial, display);
    assert.equal(pages.requests.filter((path) => path === page.pathname).length, 1, 'loads of the page');
  } finally {
    await screen?.close();
    await serial.close();
    await socket.close();
  }
}

/** Everything of this computer in which a machine could leave something behind; `null` for what cannot be read. */
async function traces(): Promise<Record<string, string[] | null>> {
  const lines = async (program: string, ...args: string[]): Promise<string[] | null> => {
    const { ok, output } = await runTool(program, args, 30_000);
    return ok ? output.split('\n').filter(Boolean).sort() : null;
  };
  return {
    interfaces: await lines('ip', '-brief', 'link'),
    namespaces: await lines('ip', 'netns', 'list'),
    mounts: (await readFile('/proc/self/mounts', 'utf8')).split('\n').sort(),
    runtime: await lines('find', '/run', '-maxdepth', '3', '-path', '*nspawn*'),
  };
}

/** What belongs to a machine and is still there: processes, loop devices and control groups. */
async function remains(runtime: string, storage: string, groups: string[]): Promise<string[]> {
  const processes = await runTool('pgrep', ['-af', runtime], 30_000);
  const loops = await runTool('losetup', ['--list', '--noheadings', '--output', 'BACK-FILE'], 30_000);
  const lines = [...processes.output.split('\n'), ...loops.output.split('\n')];
  const left = lines.filter((line) => line.includes(runtime) || line.includes(storage));
  for (const group of groups) if (await exists(group)) left.push(group);
  return left;
}

/** The control groups of the container in `runtime`. */
async function groupsOf(runtime: string): Promise<string[]> {
  const { output } = await runTool('pgrep', ['-of', `container.sh ${runtime} `], 30_000);
  const { output: found } = await runTool(
    'find',
    ['/sys/fs/cgroup', '-maxdepth', '3', '-name', `vitrine-${output.trim()}`],
    30_000,
  );
  return found.split('\n').filter(Boolean);
}

/**
 * Tests `npm start` and `npm stop` as scripts use them.
 * @param kind what the device runs in
 */
export async function testStart(
  { pages, test, print }: ContextWithoutDevice,
  kind: 'qemu' | 'container',
): Promise<void> {
  const name = `test-start-${kind}-${process.pid}`;
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-start-'));
  const file = join(folder, 'ready.json');
  const place = kind === 'container' ? ['--container'] : [];
  const args = [...place, '--name', name, '--ready-json', file];
  await removeLeftovers(join(cacheFolder(), 'machines'));
  const before = await traces();
  const start = new Command('start', ['--headless', '--port', '0', ...args]);
  const runtime = instancePaths(name).folder;
  const storage = join(cacheFolder(), 'machines', name);
  let ready: ReadyInfo | undefined;
  let described: unknown;
  let groups: string[] = [];
  const waitUntilGone = async (): Promise<void> => {
    let left: string[] = [];
    await waitFor(
      async () => {
        left = await remains(runtime, storage, groups);
        return left.length === 0;
      },
      { timeoutMs: GONE_MS, what: 'everything of the device to be gone' },
    ).catch((error: unknown) => assert.fail(`${errorMessage(error)}: ${left.join('; ')}`));
    assert.deepEqual(await traces(), before);
  };
  try {
    await test(
      'the ready file is complete, and all its addresses work',
      async () => {
        const info = await readyInfo(start, file);
        print(`          (${/the API answers .*/.exec(start.stderr)?.[0] ?? ''})\n`);
        assert.deepEqual(Object.keys(info).sort(), FIELDS.toSorted());
        assert.match(info.api, /^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
        assert.equal(info.events, `${info.api.replace('http', 'ws')}/events`);
        const device = await http('GET', `${info.api}/device`);
        assert.equal(device.status, 200);
        described = device.body;
        assert.match(String(field(device.body, 'serial')), /^VIRT-[0-9A-F]{8}$/);
        assert.equal(info.qmp === null, kind === 'container');
        assert.ok((await virtualDevices()).includes(new URL(info.api).origin), 'it is not discovered');
        const sockets = [info.serial, ...(info.qmp === null ? [] : [info.qmp])];
        for (const path of sockets) assert.ok((await stat(path)).isSocket(), path);
        await answersOverTls(info);
        assert.ok(isRunning(info.pid), `there is no process ${info.pid}`);
        for (const address of [
          info.api,
          info.https,
          info.events,
          String(info.tty),
          ...sockets,
          String(info.vnc),
        ]) {
          assert.ok(start.stdout.includes(address), `${address} is not in what was printed: ${start.stdout}`);
        }
        if (kind === 'container') groups = await groupsOf(runtime);
        ready = info;
      },
      READY_MS + 60_000,
    );
    if (!ready) return;
    const { api, pid } = ready;
    const info = ready;
    await test('a page of this computer is shown on the screen, in GET /display and in the events of both links', () =>
      showPage(info, pages));
    await test('the tty is the serial link for programs that need one: each gets a hello, one after the other', async () => {
      for (const _ of [1, 2, 3]) {
        const port = await openSerial(String(info.tty));
        try {
          assert.equal((await port.frame('hello', 0)).serial, field(described, 'serial'));
          const { status, bytes } = await port.request('GET', '/display/screenshot');
          assert.equal(status, 200);
          assert.deepEqual([...bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
          const second = await openSerial(String(info.tty)).catch(errorMessage);
          assert.match(String(second), /cannot be opened: this program has it open already/);
        } finally {
          await port.close();
        }
      }
      // It asks for the hello: QEMU does not tell the device that its host was away for a moment.
      const serial = await openGreeted(info.serial);
      await serial.close();
    });
    await test('a second start with the same name is refused and changes nothing', async () => {
      const content = await readFile(file, 'utf8');
      await refused(['--port', '0', ...args], new RegExp(`a machine named "${name}" is already running`));
      assert.equal(await readFile(file, 'utf8'), content);
      assert.equal((await http('GET', `${api}/device`)).status, 200);
    });
    await test('a start on a port in use is refused and says how to choose another', async () => {
      const { port } = new URL(api);
      const other = [...place, '--port', port, '--name', `${name}-b`];
      await refused(other, /^vitrine: port \d+ .*in use.*--port/);
    });
    await test('npm stop powers the device down and leaves nothing behind', async () => {
      const stop = new Command('stop', ['--name', name]);
      assert.equal(await stop.code(STOP_MS), 0, stop.stderr);
      assert.match(stop.stdout, /is off/);
      assert.equal(await start.code(60_000), 0, start.stderr);
      assert.doesNotMatch(start.stderr, /was ended/);
      assert.ok(!isRunning(pid), `process ${pid} is still there`);
      assert.ok(!(await exists(file)), 'the ready file is still there');
      assert.ok(!(await exists(runtime)), `${runtime} is still there`);
      await waitUntilGone();
    });
    if (kind === 'qemu') return;
    await test('the device’s data is kept, and after SIGKILL of npm start nothing is left but files', async () => {
      const again = new Command('start', ['--headless', '--port', '0', ...args]);
      const { api: url, pid: owner } = await readyInfo(again, file);
      assert.deepEqual((await http('GET', `${url}/device`)).body, described);
      groups = await groupsOf(runtime);
      assert.ok(groups.length > 0, 'the container has no control group');
      process.kill(owner, 'SIGKILL');
      await within(again.ended, GONE_MS, 'npm start to end');
      await waitUntilGone();
    });
  } finally {
    if (start.running) {
      // SIGKILL, because a graceful stop would wait for a device that failed. The device ends with its owner.
      const owner = await ownerOf(runtime);
      if (owner) process.kill(owner.pid, 'SIGKILL');
      start.child.kill('SIGKILL');
      await within(start.ended, 10_000, 'npm start to be gone').catch(() => undefined);
    }
    await rm(storage, { recursive: true, force: true });
    await rm(runtime, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  }
}
