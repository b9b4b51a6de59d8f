/** The command `peripherals` as a user runs it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { peripheralsConfig } from '../../agent/src/resources/peripherals/config.ts';
import { ADAPTER, PRINTER, SCANNER } from '../../testing/peripheral-samples.ts';
import { PeripheralsStage } from '../../testing/peripherals-stage.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const RUN_MS = 60_000;
const PAGE = 'https://kiosk.example';

const stage = await PeripheralsStage.open();
after(() => stage.close());
beforeEach(async () => {
  await stage.config.patch({ devices: null });
  stage.inventory.plug(SCANNER, ADAPTER, PRINTER);
  stage.status.update(new Map(), PAGE);
  stage.hostPort = true;
  stage.patches = 0;
});

/** @param command as it would be typed; a shell reads it */
async function run(command: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...process.env, VITRINE_HOST: stage.address };
  const program = `vitrine() { '${process.execPath}' '${MAIN}' "$@"; }\n`;
  return await new Promise((resolve) => {
    execFile('sh', ['-c', program + command], { env, timeout: RUN_MS }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

async function ok(command: string): Promise<string> {
  const { code, stdout, stderr } = await run(command);
  assert.equal(code, 0, stderr);
  return stdout;
}

const policy = () => stage.config.get(peripheralsConfig);
/** The commands that the list names. */
const commandsIn = (list: string) => list.split('\n').filter((line) => line.startsWith('  vitrine '));

test('the list says what is plugged in, and has a command that allows it', async () => {
  const before = await ok('vitrine peripherals');
  assert.match(before, /^id +kind +device +state +entry +open by\n/);
  assert.match(before, /\nhidraw0 +hid +0c2e:0b61 Honeywell Voyager 1450g +not allowed/);
  assert.match(before, /\nttyUSB0: No entry of devices\.serial\.allow matches/);
  const commands = commandsIn(before);
  assert.equal(commands.length, 3);
  for (const command of commands) await ok(command);
  const { hid, serial, usb, origins } = policy();
  assert.deepEqual(origins, [PAGE]);
  assert.deepEqual([hid.enabled, serial.enabled, usb.enabled], [true, true, true]);
  assert.deepEqual([hid.allow.length, serial.allow.length, usb.allow.length], [1, 1, 1]);

  stage.status.update(new Map([['hidraw0', PAGE]]), PAGE);
  const after = await ok('vitrine peripherals');
  assert.match(after, /\nhidraw0 .* allowed +hid\.allow\[0\] +https:\/\/kiosk\.example\n/);
  assert.deepEqual(commandsIn(after), []);
});

test('allowing twice changes nothing, and revoking removes every entry that matches', async () => {
  const allow = `vitrine peripherals allow hidraw0 --origin ${PAGE}`;
  assert.equal((await ok(allow)).trim(), `pages of ${PAGE} may use hidraw0`);
  assert.equal(stage.patches, 1);
  await ok(allow);
  assert.equal(stage.patches, 1, 'nothing was missing');
  const narrow = policy().hid.allow;
  await stage.config.patch({
    devices: {
      hid: { allow: [{ vendorId: 1, productId: 1 }, ...narrow, { vendorId: 0x0c2e, productId: 0x0b61 }] },
    },
  });
  assert.equal((await ok('vitrine peripherals revoke hidraw0')).trim(), 'no page may use hidraw0');
  assert.deepEqual(policy().hid.allow, [{ vendorId: 1, productId: 1 }]);
  assert.deepEqual(policy().origins, [PAGE]);
  const { state, rule } = JSON.parse(await ok('vitrine --json peripherals revoke hidraw0'));
  assert.deepEqual([state, rule], ['not_allowed', null]);
});

test('an origin that a shell would run is quoted', async () => {
  const hostile = "https://x;'$(touch_this).example";
  stage.status.update(new Map(), hostile);
  const [command] = commandsIn(await ok('vitrine peripherals'));
  assert.ok(command);
  await ok(command);
  assert.deepEqual(policy().origins, [hostile]);
});

test('what a peripheral says is text, not commands for the terminal', async () => {
  stage.inventory.plug({ ...ADAPTER, product: 'x\u001b[2Jy' });
  stage.status.update(new Map(), 'https://x\u001b[2Jy.example');
  const text = await ok('vitrine peripherals');
  assert.match(text, /x�\[2Jy/);
  assert.ok(!text.includes('\u001b'));
  assert.equal(JSON.parse(await ok('vitrine --json peripherals')).peripherals[0].product, 'x\u001b[2Jy');
});

test('what cannot be done is said in one line', async () => {
  stage.inventory.plug(SCANNER, { ...ADAPTER, id: 'ttyS0', vendorId: null, productId: null });
  const cases: [string, number, RegExp][] = [
    [`allow hidraw7 --origin ${PAGE}`, 2, /there is no peripheral "hidraw7", only hidraw0, ttyS0/],
    [`allow ttyS0 --origin ${PAGE}`, 1, /no page gets ttyS0: /],
    ['allow hidraw0', 2, /--origin ORIGIN/],
    [`revoke hidraw0 --origin ${PAGE}`, 2, /peripherals revoke ID/],
    ['allow hidraw0 --origin https://kiosk.example/', 1, /must be an origin without a path/],
  ];
  for (const [args, code, message] of cases) {
    const result = await run(`vitrine peripherals ${args}`);
    assert.equal(result.code, code, `${args}: ${result.stderr}`);
    assert.match(result.stderr, message);
  }
  assert.equal(stage.patches, 0);
  stage.inventory.plug();
  assert.match((await run('vitrine peripherals')).stderr, /Nothing is plugged in/);
  stage.hostPort = false;
  assert.match((await run('vitrine peripherals')).stderr, /no USB host port/);
});
