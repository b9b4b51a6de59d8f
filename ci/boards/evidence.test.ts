import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { readEvidence } from './evidence.ts';
import { mbrEntries } from './table.ts';

const TABLE = {
  partitiontable: {
    label: 'gpt',
    id: '5B4FD4A2-38F6-4B5E-9D0B-5D1C6A0D3A01',
    unit: 'sectors',
    partitions: [{ node: 'disk.img1', start: 2048, size: 32768, type: 'C12A7328', name: 'boot' }],
  },
};
const GOOD = {
  definitions: 'BOARD=virt\nKERNEL_ARGS=console=ttyS0 quiet\n',
  'post-build': '',
  'post-image': '',
  'fat-copy': '',
  table: JSON.stringify(TABLE),
  'fat/boot.scr': 'script',
  'fat/overlays/dwc2.dtbo': 'overlay',
  'templates/fstab': 'tmpfs /var tmpfs\n',
  rauc: 'no such slot\n',
  'rauc.failed': 'exit code 1\n',
};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-evidence-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

test('the output of collect.sh is read', () => {
  write(GOOD);
  const evidence = readEvidence('virt', folder);
  assert.equal(evidence.defined.get('KERNEL_ARGS'), 'console=ttyS0 quiet');
  assert.deepEqual([...evidence.fat.keys()].sort(), ['boot.scr', 'overlays/dwc2.dtbo']);
  assert.equal(evidence.templates.get('fstab'), 'tmpfs /var tmpfs\n');
  assert.equal(evidence.table.partitions[0]?.name, 'boot');
  assert.deepEqual(evidence.programs.get('rauc'), { ok: false, text: 'no such slot\n' });
  assert.equal(evidence.programs.get('fat-copy')?.ok, true);
});

for (const name of ['definitions', 'post-build', 'post-image', 'table', 'fat-copy']) {
  test(`a failure of ${name} is reported with its output`, () => {
    write({ ...GOOD, [name]: 'no room\n', [`${name}.failed`]: 'exit code 1\n' });
    assert.throws(() => readEvidence('virt', folder), new RegExp(`${name}: no room`));
  });
}

test('missing output of collect.sh is reported', () => {
  assert.throws(() => readEvidence('virt', folder), /definitions: it was not run/);
});

test('a disk without an MBR signature is rejected', () => {
  assert.throws(() => mbrEntries(Buffer.alloc(512)), /no MBR signature/);
  assert.throws(() => mbrEntries(Buffer.alloc(0)), /no MBR signature/);
});
