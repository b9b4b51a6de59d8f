import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lib/places.ts';

const TREE = 'proc/device-tree/serial-number';
const QEMU = 'sys/firmware/qemu_fw_cfg/by_name/opt/vitrine/serial/raw';
const SMBIOS = 'sys/class/dmi/id/product_serial';

/** The output of overlay/usr/lib/vitrine/read-serial on a device with these files; undefined if it writes no file. */
function serialOf(files: Record<string, string>): string | undefined {
  const root = mkdtempSync(join(tmpdir(), 'vitrine-serial-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), content);
    }
    const { status } = spawnSync('sh', [join(ROOT, 'overlay/usr/lib/vitrine/read-serial')], {
      env: { PATH: process.env.PATH, VITRINE_ROOT: root },
      timeout: 60_000,
    });
    assert.equal(status, 0);
    try {
      return readFileSync(join(root, 'run/vitrine/serial'), 'utf8');
    } catch {
      return undefined;
    }
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('the device tree comes first, and its terminating NUL is removed', () => {
  assert.equal(
    serialOf({ [TREE]: '10000000abcdef01\0', [QEMU]: 'VIRT-1', [SMBIOS]: 'S' }),
    '10000000abcdef01\n',
  );
  assert.equal(serialOf({ [QEMU]: 'VIRT-1', [SMBIOS]: 'S' }), 'VIRT-1\n');
  assert.equal(serialOf({ [SMBIOS]: ' CZC-123.4 \n' }), 'CZC-123.4\n');
});

for (const nothing of [
  '',
  'None\n',
  '0000000000',
  'Default',
  'To be filled by O.E.M.',
  'a b',
  'x'.repeat(65),
  '-',
]) {
  test(`${JSON.stringify(nothing.slice(0, 30))} is not a serial number, and the next source is used`, () => {
    assert.equal(serialOf({ [QEMU]: nothing }), undefined);
    assert.equal(serialOf({ [QEMU]: nothing, [SMBIOS]: 'S1' }), 'S1\n');
  });
}
