import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../lib/places.ts';

const folder = mkdtempSync(join(tmpdir(), 'vitrine-render-'));
after(() => rmSync(folder, { recursive: true }));

/** Renders a template for virt with board/common/render.sh. */
function render(template: string): { status: number | null; text: string; stderr: string } {
  const [from, to] = [join(folder, 'template'), join(folder, 'out')];
  writeFileSync(from, template);
  const script =
    'set -eu; COMMON_DIR=$1/board/common; BOARD_DIR=$1/board/virt; . "$COMMON_DIR/render.sh"; render "$2" "$3"';
  const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', ROOT, from, to], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, text: readFileSync(to, 'utf8'), stderr };
}

test('labels and sizes come from partitions.env', () => {
  assert.equal(render('@ROOTFS_A_LABEL@ @BOOT_PART@ @ENV_SIZE@\n').text, 'rootfs-a 1 0x4000\n');
});

test('the addresses of the environment, its data and its generation are computed', () => {
  const { text } = render('@ENV_0@ @ENV_0_PACKED@ @ENV_0_GENERATION@ @ENV_PACKED_SIZE@');
  assert.equal(text.trim(), '0x6000000 0x6000001 0x6000004 0x3fff');
});

test('a value with special characters of shell and sed is not changed', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: U-Boot's own placeholders
  assert.equal(render('@BOOT_COMMAND@').text.trim(), 'zboot ${kernel_addr} ${ksize} ${initrd_addr} ${isize}');
});

test('an undefined name is an error', () => {
  const { status, stderr } = render('one\n@NO_SUCH_NAME@\n');
  assert.equal(status, 1);
  assert.match(stderr, /@NO_SUCH_NAME@/);
});

const templates = [
  'boot.cmd',
  'genimage.cfg',
  'initramfs/init',
  'templates/fstab',
  'templates/fw_env.config',
];
for (const name of [...templates, 'templates/rauc-system.conf']) {
  test(`${name} renders`, () => {
    const { status, stderr } = render(readFileSync(join(ROOT, 'board/common', name), 'utf8'));
    assert.equal(stderr, '');
    assert.equal(status, 0);
  });
}
