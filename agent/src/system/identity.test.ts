import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NO_SERIAL, readIdentity, slotOf } from './identity.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vitrine-identity-'));
});
afterEach(() => rm(root, { recursive: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

const read = () => readIdentity({ runtimeFolder: join(root, 'run/vitrine'), packageVersion: '9.9.9', root });

test('reads the serial found at boot, and model, version and slot', async () => {
  await put('run/vitrine/serial', 'VTR-0001\n');
  await put('sys/class/dmi/id/product_serial', 'OTHER-1');
  await put('proc/device-tree/model', 'Raspberry Pi 4 Model B Rev 1.4\0');
  await put('etc/vitrine/version', '1.2.3\n');
  await put('proc/cmdline', 'root=PARTLABEL=rootfs-b ro rauc.slot=B panic=5\n');
  assert.deepEqual(await read(), {
    serial: 'VTR-0001',
    model: 'Raspberry Pi 4 Model B Rev 1.4',
    version: '1.2.3',
    slot: 'b',
  });
});

test('ignores placeholders in the place of a serial', async () => {
  await put('sys/class/dmi/id/product_serial', 'None\n');
  await put('etc/machine-id', '0123456789abcdef0123456789abcdef\n');
  const { serial, version, slot } = await read();
  assert.match(serial, /^[0-9a-f]{32}$/);
  assert.notEqual(serial, '0123456789abcdef0123456789abcdef');
  assert.equal(version, '9.9.9');
  assert.equal(slot, 'a');
});

test('derives the same identifier as systemd', async (t) => {
  const application = '0c1f54c1b5a94d0b8ac8d2f3b79bd0ae';
  let expected: string;
  try {
    expected = execFileSync('systemd-id128', ['machine-id', `--app-specific=${application}`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return t.skip('systemd-id128 finds no machine-id here');
  }
  await put('etc/machine-id', execFileSync('systemd-id128', ['machine-id'], { encoding: 'utf8' }));
  assert.equal((await read()).serial, expected);
});

test('has no serial without any identifier', async () => {
  assert.equal((await read()).serial, NO_SERIAL);
});

test('reads the slot from a whole kernel argument only', () => {
  assert.equal(slotOf('rauc.slot=B'), 'b');
  assert.equal(slotOf('quiet rauc.slot=A'), 'a');
  assert.equal(slotOf('xrauc.slot=B rauc.slot=BB'), 'a');
});

test('applies the same rule for serials as read-serial', async (t) => {
  const script = fileURLToPath(new URL('../../../overlay/usr/lib/vitrine/read-serial', import.meta.url));
  for (const text of [
    'ABC-123',
    'None',
    '00000000',
    '0',
    'with space',
    'n/a',
    '12:34.5-',
    'x'.repeat(65),
    'OEM',
  ]) {
    await rm(join(root, 'run'), { recursive: true, force: true });
    await put('sys/class/dmi/id/product_serial', text);
    const { serial: ours } = await read();
    execFileSync(script, { env: { ...process.env, VITRINE_ROOT: root }, stdio: 'ignore' });
    const { serial: theirs } = await read();
    assert.equal(ours, theirs, text);
  }
  t.diagnostic('the unit and the agent hold the same rule');
});
