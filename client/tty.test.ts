import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Cable, connectTerminals } from '../testing/terminals.ts';
import { waitFor } from '../testing/wait.ts';
import { connect } from './connect.ts';
import { openGreeted } from './serial.ts';
import { openError, openTty } from './tty.ts';
import { holdersOf } from './tty-holders.ts';

const COMMAND = fileURLToPath(new URL('cli/main.ts', import.meta.url));
const run = promisify(execFile);

/** A program that does nothing, with its standard input. */
function idle(t: TestContext, input = '/dev/null'): ChildProcess {
  const child = spawn('sh', ['-c', `exec sleep 60 <${input}`], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** The error of a call, and how long it took in ms. */
async function failure(call: () => Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const start = performance.now();
  const error = await call().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error, ms: performance.now() - start };
}

suite('a serial port', () => {
  let cable: Cable;
  before(async () => {
    cable = await connectTerminals();
  });
  after(() => cable.close());

  test('that another program has open is refused at once, with its name, though nothing is locked', async (t) => {
    const { pid } = idle(t, cable.host);
    await waitFor(() => holdersOf(cable.host).some(({ name }) => name === 'sleep'), {
      timeoutMs: 5000,
      what: 'the program to open the port',
    });
    const { error, ms } = await failure(() => connect(cable.host));
    // It takes a tenth of that, but not on a busy computer.
    assert.ok(ms < 2000, `${ms} ms`);
    assert.equal(Object(error).code, 'busy');
    assert.match(String(error), new RegExp(`another program has it open: sleep \\(pid ${pid}\\)`));
    const told = await run(process.execPath, [COMMAND, '--serial', cable.host, 'config', 'get']).catch(
      (thrown: unknown) => thrown,
    );
    assert.equal(Object(told).code, 3);
    assert.match(Object(told).stderr, /^vitrine: \/dev\/pts\/\d+ cannot be opened: another program has it/);
  });

  test('that is locked by a file of a running program is refused, also by a symbolic link', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'port-'));
    const name = `vitrine-test-${process.pid}`;
    const link = join(folder, name);
    const lock = `/run/lock/LCK..${name}`;
    t.after(async () => {
      await rm(folder, { recursive: true });
      await rm(lock, { force: true });
    });
    await symlink(cable.host, link);
    const program = idle(t);
    await writeFile(lock, `${String(program.pid).padStart(10)}\n`);
    await assert.rejects(openTty(link), { code: 'busy', message: new RegExp(`\\(pid ${program.pid}\\)`) });
    await writeFile(lock, `${'4194304'.padStart(10)}\n`);
    const port = await openTty(link);
    await new Promise((resolve) => port.close(resolve));
  });

  test('that this program has open is not opened again', async () => {
    const port = await openTty(cable.host);
    await assert.rejects(openTty(cable.host), { code: 'busy', message: /this program has it open already/ });
    await new Promise((resolve) => port.close(resolve));
  });

  test('where nobody answers says so, with the program that reads it, too', async (t) => {
    await assert.rejects(openGreeted(cable.host, 100), {
      code: 'silent',
      message: /answers nothing within 0.1 s: does another program use it, or is it no Vitrine device\?$/,
    });
    const answer = openGreeted(cable.host, 2000);
    answer.catch(() => undefined);
    await waitFor(() => holdersOf(cable.host).some(({ pid }) => pid === process.pid), {
      timeoutMs: 5000,
      what: 'this program to open the port',
    });
    const { pid } = idle(t, cable.host);
    await assert.rejects(answer, {
      message: new RegExp(`another program reads it, too: sleep \\(pid ${pid}\\)`),
    });
  });

  test('that does not exist is said', async () => {
    await assert.rejects(connect('/dev/no-such-port'), { code: 'missing', message: /there is no such port/ });
  });
});

test('the reason of the system becomes a hint', () => {
  const modem = [{ name: 'ModemManager', pid: 7 }];
  const table = [
    ['Error: Permission denied, cannot open /dev/ttyACM0', 'denied', /usermod -a -G dialout/],
    [
      'Error Resource temporarily unavailable Cannot lock port',
      'busy',
      /ModemManager \(pid 7\).*ID_MM_DEVICE/,
    ],
    ['Error: Device or resource busy, cannot open /dev/ttyACM0', 'busy', /another program has it open/],
    ['Opening COM3: Access denied', 'busy', /another program has it open/],
    ['Opening COM3: File not found', 'missing', /there is no such port/],
    ['Error: Input/output error', 'failed', /Input\/output error$/],
  ] as const;
  for (const [reason, code, message] of table) {
    const error = openError('/dev/ttyACM0', reason, reason.includes('Cannot lock') ? modem : []);
    assert.equal(error.code, code, reason);
    assert.match(error.message, message);
  }
});
