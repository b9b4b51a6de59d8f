import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { field } from '../../ci/client/events.ts';
import { SerialClient } from '../../ci/client/ndjson.ts';
import { cacheFolder, ROOT } from '../../ci/lib/places.ts';
import type { Colour } from '../../ci/lib/png.ts';
import { instancePaths, ownerOf, type ReadyInfo } from '../../ci/qemu/instance.ts';
import { Qmp } from '../../ci/qemu/qmp.ts';
import { certificate } from '../../lib/make-certificates.ts';
import { waitFor, within } from '../../lib/wait.ts';
import { http } from '../harness/http.ts';
import { removeLeftovers } from '../harness/leftovers.ts';
import type { PageServer } from '../harness/pages.ts';
import { readScreen, waitForColours } from '../harness/screen.ts';
import { EventSocket } from '../harness/socket.ts';
import { scenario } from '../harness/suite.ts';

const VIOLET: Colour = [112, 40, 176];
const SAND: Colour = [224, 208, 128];
/** Longer than `npm start` itself waits for the API, so that a failure shows the message of `npm start`. */
const READY_MS = 480_000;
const REFUSAL_MS = 120_000;
const TLS_MS = 60_000;
/** Longer than `npm stop` waits for the device to power itself off. */
const STOP_MS = 120_000;
const FIELDS = ['api', 'https', 'events', 'serial', 'qmp', 'vnc', 'host_address', 'pid'];

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

/** The greeting of a VNC server. */
async function vncGreeting(address: string): Promise<string> {
  const [host = '', port = ''] = address.split(':');
  const socket = connect(Number(port), host);
  try {
    const [greeting]: unknown[] = await within(once(socket, 'data'), 60_000, 'the VNC server’s greeting');
    return String(greeting);
  } finally {
    socket.destroy();
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
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
async function showPage(ready: ReadyInfo, pages: PageServer, folder: string): Promise<void> {
  const page = new URL(pages.addColours(VIOLET, SAND));
  page.hostname = ready.host_address;
  const url = page.href;
  const socket = await EventSocket.open(ready.events);
  const serial = await SerialClient.connect(ready.serial);
  let qmp: Qmp | undefined;
  try {
    qmp = await Qmp.connect(String(ready.qmp));
    await socket.subscribe('display_state');
    await serial.frame('hello');
    await serial.subscribe('display_state');
    const [onSocket, onSerial] = [socket.events.mark, serial.events.mark];
    const answer = await http('POST', `${ready.api}/display/navigate`, { json: { url } });
    assert.equal(answer.status, 200, answer.bytes.toString());
    const monitor = qmp;
    await waitForColours(() => readScreen(monitor, folder), VIOLET, SAND, 180_000);
    const shown = (payload: unknown): boolean =>
      field(payload, 'url') === url &&
      field(payload, 'loading') === false &&
      field(payload, 'error') === null;
    // The first matching state is not enough: soon after a boot other fields of the display state may still change.
    const display = async (): Promise<unknown> => {
      const { body } = await http('GET', `${ready.api}/display`);
      return shown(body) ? body : 'not yet';
    };
    await socket.events.matchingState('display_state', onSocket, display);
    await serial.events.matchingState('display_state', onSerial, display);
    assert.equal(pages.requests.filter((path) => path === page.pathname).length, 1, 'loads of the page');
  } finally {
    qmp?.close();
    serial.close();
    await socket.close();
  }
}

export default scenario({
  title: '`npm start` for scripts: the ready file with all its addresses, and `npm stop`',
  machine: 'none',
  run: async ({ pages, test }) => {
    const name = `test-start-${process.pid}`;
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-start-'));
    const file = join(folder, 'ready.json');
    const args = ['--name', name, '--ready-json', file];
    await removeLeftovers(join(cacheFolder(), 'machines'));
    const start = new Command('start', ['--headless', '--port', '0', ...args]);
    const runtime = instancePaths(name).folder;
    let ready: ReadyInfo | undefined;
    try {
      await test(
        'the ready file is complete, and all its addresses work',
        async () => {
          const info = await readyInfo(start, file);
          assert.deepEqual(Object.keys(info).sort(), FIELDS.toSorted());
          assert.match(info.api, /^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
          assert.equal(info.events, `${info.api.replace('http', 'ws')}/events`);
          const device = await http('GET', `${info.api}/device`);
          assert.equal(device.status, 200);
          assert.match(String(field(device.body, 'serial')), /^VIRT-[0-9A-F]{8}$/);
          for (const path of [info.serial, String(info.qmp)]) assert.ok((await stat(path)).isSocket(), path);
          await answersOverTls(info);
          assert.match(await vncGreeting(String(info.vnc)), /^RFB 003\./);
          assert.ok(isRunning(info.pid), `there is no process ${info.pid}`);
          for (const address of [
            info.api,
            info.https,
            info.events,
            info.serial,
            String(info.qmp),
            String(info.vnc),
          ]) {
            assert.ok(
              start.stdout.includes(address),
              `${address} is not in what was printed: ${start.stdout}`,
            );
          }
          ready = info;
        },
        READY_MS + 60_000,
      );
      if (!ready) return;
      const { api, pid } = ready;
      const info = ready;
      await test('a page of this computer is shown on the screen, in GET /display and in the events of both links', () =>
        showPage(info, pages, folder));
      await test('a second start with the same name is refused and changes nothing', async () => {
        const before = await readFile(file, 'utf8');
        await refused(['--port', '0', ...args], new RegExp(`a machine named "${name}" is already running`));
        assert.equal(await readFile(file, 'utf8'), before);
        assert.equal((await http('GET', `${api}/device`)).status, 200);
      });
      await test('a start on a port in use is refused and says how to choose another', async () => {
        const { port } = new URL(api);
        await refused(['--port', port, '--name', `${name}-b`], /^vitrine: port \d+ .*in use.*--port/);
      });
      await test('npm stop powers the device down and leaves nothing behind', async () => {
        const stop = new Command('stop', ['--name', name]);
        assert.equal(await stop.code(STOP_MS), 0, stop.stderr);
        assert.match(stop.stdout, /is off/);
        assert.equal(await start.code(60_000), 0, start.stderr);
        assert.doesNotMatch(start.stderr, /QEMU was ended/);
        assert.ok(!isRunning(pid), `process ${pid} is still there`);
        assert.ok(!(await exists(file)), 'the ready file is still there');
        assert.ok(!(await exists(runtime)), `${runtime} is still there`);
      });
    } finally {
      if (start.running) {
        // SIGKILL, because a graceful stop would wait for a device that failed. QEMU ends with its owner.
        const owner = await ownerOf(runtime);
        if (owner) process.kill(owner.pid, 'SIGKILL');
        start.child.kill('SIGKILL');
        await within(start.ended, 10_000, 'npm start to be gone').catch(() => undefined);
      }
      await rm(join(cacheFolder(), 'machines', name), { recursive: true, force: true });
      await rm(runtime, { recursive: true, force: true });
      await rm(folder, { recursive: true, force: true });
    }
  },
});
