/** Checks of the files that programs on the device read, against the disk and the definitions. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readBoardFile } from '../../agent/src/boards/board-file.ts';
import { field } from '../../testing/field.ts';
import { differs, linesOf, numberOf, templateOf, textOf } from './defined.ts';
import type { Evidence } from './evidence.ts';

const BY_LABEL = '/dev/disk/by-partlabel/';
/** The firmware ignores the part of a line of config.txt beyond this length. */
const CONFIG_LINE_MAX = 98;

/** system.conf: RAUC loads it, and its slots are partitions of the disk. */
export function raucProblems(evidence: Evidence): string[] {
  const { programs, table } = evidence;
  const rauc = programs.get('rauc') ?? { ok: false, text: 'it was not run' };
  if (!rauc.ok) return [`rauc rejects its configuration: ${rauc.text.trim()}`];
  const text = templateOf(evidence, 'system.conf');
  const names = table.partitions.map(({ name }) => `${BY_LABEL}${name}`);
  const slots = [...text.matchAll(/^\[slot\.rootfs\.\d\]\n(?:.+\n)*/gm)].map(([section]) => ({
    device: /^device=(.*)$/m.exec(section)?.[1] ?? '',
    bootname: /^bootname=(.*)$/m.exec(section)?.[1] ?? '',
  }));
  const expected = ['A', 'B'].map((bootname) => ({
    device: `${BY_LABEL}${textOf(evidence, `ROOTFS_${bootname}_LABEL`)}`,
    bootname,
  }));
  return [
    ...slots.filter(({ device }) => !names.includes(device)).map(({ device }) => `the disk has no ${device}`),
    ...(isDeepStrictEqual(slots, expected) ? [] : [`the slots are ${JSON.stringify(slots)}`]),
    ...differs('"compatible"', /^compatible=(.*)$/m.exec(text)?.[1], textOf(evidence, 'COMPATIBLE')),
  ];
}

/** fw_env.config: its files are on the FAT with the stated size, and libubootenv reads the default values from them. */
export function environmentProblems(evidence: Evidence): string[] {
  const read = evidence.programs.get('environment') ?? { ok: false, text: 'it was not run' };
  if (!read.ok) return [`fw_printenv: ${read.text.trim()}`];
  const copies = linesOf(templateOf(evidence, 'fw_env.config')).map((line) => line.split(/\s+/));
  const attempts = textOf(evidence, 'BOOT_ATTEMPTS');
  const problems = differs('the number of copies', copies.length, 2);
  for (const [path = '', offset, size] of copies) {
    problems.push(
      ...differs(`the folder of ${path}`, dirname(path), textOf(evidence, 'BOOT_MOUNT')),
      ...differs(`the offset in ${path}`, Number(offset), 0),
      ...differs(`the size of ${path}`, Number(size), evidence.fat.get(basename(path))?.length),
    );
  }
  const values = linesOf(read.text).sort().join(', ');
  const expected = `BOOT_A_LEFT=${attempts}, BOOT_B_LEFT=${attempts}, BOOT_ORDER=A B`;
  return [...problems, ...differs('the first environment', values, expected)];
}

/** fstab: complete lines, no duplicate mount point, and the FAT by the label in the partition table. */
export function fstabProblems(evidence: Evidence): string[] {
  const problems: string[] = [];
  const points = new Set<string>();
  let boot: string | undefined;
  for (const line of linesOf(templateOf(evidence, 'fstab'))) {
    const [device = '', point = '', , options] = line.split(/\s+/);
    if (!point.startsWith('/') || options === undefined)
      problems.push(`not a valid line of an fstab: "${line}"`);
    if (points.has(point)) problems.push(`${point} is mounted twice`);
    points.add(point);
    if (point === textOf(evidence, 'BOOT_MOUNT')) boot = device;
  }
  const [first] = evidence.table.partitions;
  const init = templateOf(evidence, 'init');
  const data = evidence.table.partitions.at(-1)?.name;
  if (!init.includes(`$(partition ${data} "$disk")`))
    problems.push(`the initramfs does not look for ${data}`);
  return [...problems, ...differs('the device that is mounted as the FAT', boot, `PARTLABEL=${first?.name}`)];
}

/** board.json: the agent accepts it, its values are the defined ones, and the firewall opens the same port. */
export function boardFileProblems(evidence: Evidence): string[] {
  const text = templateOf(evidence, 'board.json');
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-board-'));
  try {
    const path = join(folder, 'board.json');
    writeFileSync(path, text);
    const board = readBoardFile(path);
    const ports = templateOf(evidence, 'ports.nft');
    const radio = textOf(evidence, 'RADIO');
    return [
      ...differs('the profile', board.profile, textOf(evidence, 'PROFILE')),
      ...differs('the port', board.contentPort, numberOf(evidence, 'CONTENT_PORT')),
      ...differs(
        "the firewall's port",
        Number(/^define content_port = (\d+)$/m.exec(ports)?.[1]),
        board.contentPort,
      ),
      ...differs('whether it has two bands', board.dualBandRadio, radio === 'dual-band'),
      ...differs('the NFC bus', field(JSON.parse(text), 'nfc_bus') ?? '', textOf(evidence, 'NFC_BUS')),
      ...(board.serialLines.length > 0 ? [] : ['there is no serial line']),
      ...(board.screens.length > 0 ? [] : ['there is no screen']),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The FAT: it contains U-Boot's files and those that the board's firmware needs; config.txt names only existing files. */
export function firmwareProblems(evidence: Evidence): string[] {
  const { fat, programs } = evidence;
  const ours = ['boot.scr', textOf(evidence, 'ENV_FILE_0'), textOf(evidence, 'ENV_FILE_1')];
  if (textOf(evidence, 'FIRMWARE') === 'none') {
    return differs('the FAT', [...fat.keys()].sort().join(' '), ours.sort().join(' '));
  }
  const needed = [
    ...ours,
    ...textOf(evidence, 'FIRMWARE_FILES').split(' ').filter(Boolean),
    'u-boot.bin',
    'board.dtb',
  ];
  const problems = needed.filter((file) => !fat.has(file)).map((file) => `the FAT has no ${file}`);
  const config = fat.get('config.txt')?.toString() ?? '';
  const settings = new Map<string, string[]>();
  for (const line of linesOf(config)) {
    if (line.length > CONFIG_LINE_MAX)
      problems.push(`config.txt: line longer than ${CONFIG_LINE_MAX} characters: "${line}"`);
    if (/^\[[a-z0-9+=-]+\]$/.test(line)) continue;
    const [, name = '', value = ''] = /^([a-z0-9_]+)=(\S+)$/.exec(line) ?? [];
    if (!name) problems.push(`config.txt: invalid line "${line}"`);
    settings.set(name, [...(settings.get(name) ?? []), value]);
  }
  problems.push(...differs("config.txt's kernel", settings.get('kernel')?.join(), 'u-boot.bin'));
  for (const overlay of settings.get('dtoverlay') ?? []) {
    const file = `overlays/${overlay.replace(/,.*/, '')}.dtbo`;
    if (!fat.has(file)) problems.push(`config.txt: there is no ${file}`);
  }
  const [bus] = textOf(evidence, 'NFC_BUS').split(/[-\d]/, 1);
  const parameter = { i2c: 'i2c_arm=on', spidev: 'spi=on' }[bus ?? ''];
  if (parameter !== undefined && !settings.get('dtparam')?.includes(parameter)) {
    problems.push(`config.txt: the bus of NFC_BUS is not on: dtparam=${parameter}`);
  }
  const watchdog = programs.get('gpio-watchdog') ?? { ok: false, text: 'it was not run' };
  if (!watchdog.ok) problems.push(`the overlay of a GPIO watchdog: ${watchdog.text.trim()}`);
  if (programs.get('too-big')?.ok !== false)
    problems.push('files that do not fit into the FAT are not rejected');
  return problems;
}
