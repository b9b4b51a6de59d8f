import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ROOT } from '../lib/places.ts';
import { checkBoard, checkTogether } from './checks.ts';
import { numberOf, textOf } from './defined.ts';
import { type Evidence, type ProgramResult, parseDefinitions } from './evidence.ts';
import { definedPartitions } from './table.ts';

const TEMPLATES = ['boot.cmd', 'initramfs/init'].concat(
  ['fstab', 'fw_env.config', 'rauc-system.conf', 'board.json', 'ports.nft', 'config.txt'].map(
    (name) => `templates/${name}`,
  ),
);

const RENDER = `
set -eu
COMMON_DIR=$1/common BOARD_DIR=$1/$2 out=$3
shift 3
. "$COMMON_DIR/render.sh"
for template; do render "$COMMON_DIR/$template" "$out/$(basename "$template")"; done
"$COMMON_DIR/show.sh" "$BOARD"
`;

/** A copy of the files that the scripts render from; tests change it to break something. */
let boards = '';
beforeEach(() => {
  boards = mkdtempSync(join(tmpdir(), 'vitrine-boards-'));
  for (const name of ['virt', 'rpi3', 'rpi4']) {
    cpSync(join(ROOT, 'board', name), join(boards, name), { recursive: true });
  }
  const skipped = ['linux', 'uboot', 'patches'].map((name) => join(ROOT, 'board/common', name));
  cpSync(join(ROOT, 'board/common'), join(boards, 'common'), {
    recursive: true,
    filter: (path) => !skipped.includes(path),
  });
});
afterEach(() => rmSync(boards, { recursive: true }));

/** Renders the templates of a board of `folder` into `out`, and prints the definitions. */
function render(folder: string, board: string, out: string, templates: string[]): ProgramResult {
  const args = ['-c', RENDER, 'sh', folder, board, out, ...templates];
  const { status, stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8', timeout: 30_000 });
  return { ok: status === 0, text: status === 0 ? stdout : stderr };
}

function rendered(folder: string, board: string): Pick<Evidence, 'defined' | 'templates'> {
  const out = join(boards, 'out');
  mkdirSync(out, { recursive: true });
  const { ok, text } = render(folder, board, out, TEMPLATES);
  assert.ok(ok, text);
  const templates = readdirSync(out).map((name): [string, string] => [
    name.replace('rauc-', ''),
    readFileSync(join(out, name), 'utf8'),
  ]);
  return { defined: parseDefinitions(text), templates: new Map(templates) };
}

/** The evidence that collect.sh would gather from a correct disk, derived from the definitions. */
function makeEvidence(board: string): Evidence {
  const files = rendered(join(ROOT, 'board'), board);
  const part = definedPartitions(files);
  const mbr = Buffer.alloc(512);
  mbr.writeUInt16BE(0x55aa, 510);
  let start = 2048;
  const partitions = part.map(({ name, sectors: size, type }) => {
    const partition = { name, size, type, start };
    start += size;
    return partition;
  });
  const hybrid = textOf(files, 'PARTITION_TABLE') === 'hybrid';
  if (hybrid) {
    mbr.writeUInt8(0x0c, 446 + 4);
    mbr.writeUInt32LE(2048, 446 + 8);
    mbr.writeUInt32LE(partitions[0]?.size ?? 0, 446 + 12);
  }
  mbr.writeUInt8(0xee, 446 + (hybrid ? 16 : 0) + 4);
  const fat = new Map([['boot.scr', bootImage(files.templates.get('boot.cmd') ?? '')]]);
  for (const name of ['ENV_FILE_0', 'ENV_FILE_1']) {
    fat.set(textOf(files, name), Buffer.alloc(numberOf(files, 'ENV_SIZE')));
  }
  if (textOf(files, 'FIRMWARE') === 'raspberrypi') {
    for (const name of textOf(files, 'FIRMWARE_FILES').split(' ')) fat.set(name, Buffer.from(name));
    for (const name of ['dwc2', 'vc4-kms-v3d', 'ramoops'])
      fat.set(`overlays/${name}.dtbo`, Buffer.from(name));
    for (const name of ['u-boot.bin', 'board.dtb']) fat.set(name, Buffer.from(name));
    fat.set('config.txt', Buffer.from(files.templates.get('config.txt') ?? ''));
  }
  const attempts = textOf(files, 'BOOT_ATTEMPTS');
  const fine = [
    'repeated',
    'root-repeated',
    'busybox',
    'shared-busybox',
    'two-kernels',
    'rauc',
    'gpio-watchdog',
  ].map((name): [string, ProgramResult] => [name, { ok: true, text: '' }]);
  const programs = new Map(fine)
    .set('boot-script', { ok: true, text: 'Image Type:   PowerPC Linux Script (uncompressed)\n' })
    .set('environment', {
      ok: true,
      text: `BOOT_A_LEFT=${attempts}\nBOOT_B_LEFT=${attempts}\nBOOT_ORDER=A B\n`,
    })
    .set('kernel-files', { ok: true, text: './initrd.img\n./vmlinuz\n' })
    .set('too-big', { ok: false, text: 'Disk full\n' });
  return {
    board,
    ...files,
    table: { label: 'gpt', id: textOf(files, 'DISK_UUID'), partitions },
    mbr,
    fat,
    programs,
  };
}

const made = new Map<string, Evidence>();
/** {@link makeEvidence}, cached by board. */
function goodEvidence(board: string): Evidence {
  const evidence = made.get(board) ?? makeEvidence(board);
  made.set(board, evidence);
  return evidence;
}

function bootImage(script: string): Buffer {
  return Buffer.concat([Buffer.alloc(72), Buffer.from(script)]);
}

/** The names of the failing checks. */
function failing(evidence: Evidence): string[] {
  return checkBoard(evidence)
    .filter(({ problems }) => problems.length > 0)
    .map(({ name }) => name);
}

/**
 * The checks that fail when the disk is the board's own, but the files that the device reads are rendered with another
 * definition. The definition is appended to the file: the last assignment counts.
 */
function failingWith(board: string, file: string, definition: string): string[] {
  const disk = goodEvidence(board);
  appendFileSync(join(boards, file), `${definition}\n`);
  return failing({ ...disk, ...rendered(boards, board) });
}

for (const board of ['virt', 'rpi3', 'rpi4']) {
  test(`all checks of ${board} pass`, () => {
    assert.deepEqual(
      checkBoard(goodEvidence(board)).flatMap(({ problems }) => problems),
      [],
    );
  });
}

const BREAKAGES: [check: string, board: string, file: string, definition: string][] = [
  ['partition table', 'virt', 'virt/board.env', 'ROOTFS_SIZE_MIB=2048'],
  ['partition table', 'virt', 'virt/board.env', 'DISK_UUID=5b4fd4a2-38f6-4b5e-9d0b-5d1c6a0d3aff'],
  ['partition table', 'virt', 'common/partitions.env', 'ROOTFS_B_PART=4'],
  ['partition table', 'virt', 'common/partitions.env', 'DATA_LABEL=store'],
  ['partition table', 'virt', 'virt/board.env', 'PARTITION_TABLE=hybrid'],
  ['partition table', 'rpi3', 'rpi3/board.env', 'PARTITION_TABLE=gpt'],
  ['boot script', 'virt', 'virt/board.env', 'KERNEL_ARGS=other'],
  ['memory of the boot script', 'virt', 'virt/board.env', 'KERNEL_ADDR=0x4000000'],
  ['memory of the boot script', 'virt', 'virt/board.env', 'INITRD_ADDR=0x6200000'],
  ['memory of the boot script', 'virt', 'virt/board.env', 'MEMORY_START=0x40000000'],
  ['memory of the boot script', 'virt', 'virt/board.env', 'RAMOOPS_ADDR=0x21000000'],
  ['memory of the boot script', 'rpi3', 'rpi3/board.env', 'INITRD_ADDR=0x17000000'],
  ['RAUC configuration', 'virt', 'common/partitions.env', 'ROOTFS_A_LABEL=rootfs-c'],
  ['U-Boot environment', 'virt', 'common/partitions.env', 'ENV_SIZE=0x8000'],
  ['U-Boot environment', 'virt', 'common/partitions.env', 'ENV_FILE_1=other.env'],
  ['U-Boot environment', 'virt', 'common/partitions.env', 'BOOT_ATTEMPTS=2'],
  ['fstab', 'virt', 'common/partitions.env', 'BOOT_LABEL=efi'],
  ['fstab', 'virt', 'common/partitions.env', 'DATA_LABEL=store'],
  ['board.json', 'virt', 'virt/board.env', 'SCREENS='],
  ['board.json', 'virt', 'virt/board.env', 'CONTENT_PORT=70000'],
  ['board.json', 'virt', 'virt/board.env', 'SERIAL_LINES=ttyGS0'],
  ['files of the firmware', 'rpi3', 'rpi3/board.env', "FIRMWARE_FILES='start.elf start_x.elf'"],
  ['files of the firmware', 'virt', 'virt/board.env', 'FIRMWARE=raspberrypi'],
];
for (const [check, board, file, definition] of BREAKAGES) {
  test(`${definition} in ${file} is found by "${check}"`, () => {
    const found = failingWith(board, file, definition);
    assert.ok(found.includes(check), `failing: ${found.join(', ')}`);
  });
}

/** The board's evidence with a boot script in which `from` is replaced by `to`. */
function withScript(board: string, from: string | RegExp, to: string): Evidence {
  const evidence = goodEvidence(board);
  const script = evidence.templates.get('boot.cmd') ?? '';
  const changed = script.replace(from, to);
  assert.notEqual(changed, script);
  return {
    ...evidence,
    templates: new Map(evidence.templates).set('boot.cmd', changed),
    fat: new Map(evidence.fat).set('boot.scr', bootImage(changed)),
  };
}

const SCRIPTS: [what: string, from: string | RegExp, to: string, problem: RegExp][] = [
  ['another partition', /devnum\}:1/, 'devnum}:4', /no such file or partition/],
  [
    'a file that the FAT lacks',
    /0x6100000 uboot-redund\.env/,
    '0x6100000 gone.env',
    /no such file or partition/,
  ],
  ['another size', /(fatwrite .* uboot\.env) 0x4000/, '$1 0x2000', /the size that/],
  ['an unknown address', 'cp.b 0x6000004', 'cp.b 0x7000004', /0x7000004 is not an address/],
  ['swapped labels', 'setenv label rootfs-a', 'setenv label rootfs-b', /labels/],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: U-Boot's own placeholders
  ['a variable that nothing sets', 'booti $', 'booti ${addr} $', /nothing sets \$\{addr\}/],
  ['no console', / console=\S+/, '', /"console=/],
];
for (const [what, from, to, problem] of SCRIPTS) {
  test(`a boot script with ${what} is rejected`, () => {
    const check = checkBoard(withScript('rpi4', from, to)).find(({ name }) => name === 'boot script');
    assert.match(check?.problems.join('\n') ?? '', problem);
  });
}

test('a kernel with another file name is rejected', () => {
  const evidence = goodEvidence('rpi4');
  const programs = new Map(evidence.programs).set('kernel-files', {
    ok: true,
    text: './Image\n./initrd.img\n',
  });
  assert.deepEqual(failing({ ...evidence, programs }), ['kernel and initramfs']);
});

test('a script on the disk that differs from the rendered one is rejected', () => {
  const evidence = goodEvidence('virt');
  const fat = new Map(evidence.fat).set('boot.scr', bootImage('echo something else\n'));
  assert.ok(failing({ ...evidence, fat }).includes('boot script'));
});

const PROGRAM_RESULTS: [check: string, name: string, ok: boolean][] = [
  ['boot script', 'boot-script', false],
  ['RAUC configuration', 'rauc', false],
  ['U-Boot environment', 'environment', false],
  ['same disk when made again', 'repeated', false],
  ['same root when made again', 'root-repeated', false],
  ['kernel and initramfs', 'busybox', false],
  ['kernel and initramfs', 'shared-busybox', false],
  ['kernel and initramfs', 'two-kernels', false],
  ['files of the firmware', 'gpio-watchdog', false],
  ['files of the firmware', 'too-big', true],
];
for (const [check, name, ok] of PROGRAM_RESULTS) {
  test(`"${check}" fails when ${name} has the wrong result or was not run`, () => {
    const evidence = goodEvidence('rpi3');
    const ended = new Map(evidence.programs).set(name, { ok, text: '' });
    assert.deepEqual(failing({ ...evidence, programs: ended }), [check]);
    const missing = new Map(evidence.programs);
    missing.delete(name);
    assert.deepEqual(failing({ ...evidence, programs: missing }), [check]);
  });
}

test('a missing overlay and an invalid line of config.txt are rejected', () => {
  const evidence = goodEvidence('rpi4');
  for (const line of ['dtoverlay=nowhere', 'not a setting', `dtparam=${'x'.repeat(100)}`]) {
    const config = Buffer.concat([
      evidence.fat.get('config.txt') ?? Buffer.alloc(0),
      Buffer.from(`${line}\n`),
    ]);
    assert.deepEqual(failing({ ...evidence, fat: new Map(evidence.fat).set('config.txt', config) }), [
      'files of the firmware',
    ]);
  }
});

test('the bus of an NFC reader is on, I2C or SPI', () => {
  const parameters = (board: string) =>
    rendered(boards, board)
      .templates.get('config.txt')
      ?.match(/dtparam=.*/g);
  assert.deepEqual(parameters('rpi4'), ['dtparam=audio=on', 'dtparam=i2c_arm=on']);
  appendFileSync(join(boards, 'rpi4/board.env'), 'NFC_BUS=spidev0.1\n');
  assert.deepEqual(parameters('rpi4'), ['dtparam=audio=on', 'dtparam=spi=on']);
  appendFileSync(join(boards, 'rpi4/board.env'), 'NFC_BUS=\n');
  assert.deepEqual(parameters('rpi4'), ['dtparam=audio=on']);
  // The disk of the first one with the definitions of the second one.
  assert.deepEqual(failingWith('rpi3', 'rpi3/board.env', 'NFC_BUS=spidev0.0'), ['files of the firmware']);
});

test('two boards with the same name are rejected', () => {
  const [virt, other] = [goodEvidence('virt'), goodEvidence('rpi4')];
  const named = new Map(other.defined).set('COMPATIBLE', 'vitrine-virt');
  assert.deepEqual(checkTogether([virt, { ...other, defined: named }]).problems, [
    `COMPATIBLE of rpi4 is also that of virt: "vitrine-virt"`,
  ]);
  assert.deepEqual(checkTogether([virt, other]).problems, []);
});

const REFUSED = [
  'RADIO=triple-band',
  'PARTITION_TABLE=mbr',
  'USB_HOST_PORT=',
  'BOARD=rpi4',
  'GPIO_WATCHDOG=17',
  'ENV_ADDR=nowhere',
  'NFC_BUS=i2c1',
  'NFC_BUS=spidev0',
];
for (const definition of REFUSED) {
  test(`${definition} is rejected before anything is rendered`, () => {
    appendFileSync(join(boards, 'virt/board.env'), `${definition}\n`);
    const { ok, text } = render(boards, 'virt', boards, []);
    assert.equal(ok, false);
    assert.match(text, new RegExp(definition.replace(/=.*/, '')));
  });
}
