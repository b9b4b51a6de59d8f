import { differs, numberOf, textOf } from './defined.ts';
import type { Evidence } from './evidence.ts';

const SECTOR = 512;
const SECTORS_PER_MIB = 2 ** 20 / SECTOR;
const EFI_SYSTEM = 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B';
const LINUX = '0FC63DAF-8483-4772-8E79-3D69D8477DE4';
/** Types of MBR entries: FAT32 with LBA addressing, and the protective entry of a GPT. */
const FAT = 0x0c;
const PROTECTIVE = 0xee;

interface MbrEntry {
  type: number;
  start: number;
  size: number;
}

/** The used entries of a disk's first sector. */
export function mbrEntries(sector: Buffer): MbrEntry[] {
  if (sector.length !== SECTOR || sector.readUInt16BE(510) !== 0x55aa) {
    throw new Error('the first sector has no MBR signature');
  }
  return [0, 1, 2, 3]
    .map((index) => 446 + index * 16)
    .map((at) => ({
      type: sector.readUInt8(at + 4),
      start: sector.readUInt32LE(at + 8),
      size: sector.readUInt32LE(at + 12),
    }))
    .filter(({ type }) => type !== 0);
}

/** The partitions that partitions.env and board.env define, in disk order. */
export function definedPartitions(evidence: Pick<Evidence, 'defined'>) {
  const part = (name: string, type: string) => ({
    name: textOf(evidence, `${name}_LABEL`),
    sectors: numberOf(evidence, `${name.replace(/_[AB]$/, '')}_SIZE_MIB`) * SECTORS_PER_MIB,
    type,
  });
  return [
    part('BOOT', EFI_SYSTEM),
    part('ROOTFS_A', LINUX),
    part('ROOTFS_B', LINUX),
    part('DATA', LINUX),
  ] as const;
}

/** Checks the GPT against partitions.env and board.env, and the MBR against the GPT. */
export function tableProblems(evidence: Evidence): string[] {
  const { table, mbr } = evidence;
  const expected = definedPartitions(evidence);
  const problems = [
    ...differs('the table', table.label, 'gpt'),
    ...differs("the disk's UUID", table.id.toLowerCase(), textOf(evidence, 'DISK_UUID').toLowerCase()),
    ...differs('the number of partitions', table.partitions.length, expected.length),
  ];
  let free = 0;
  for (const [index, { name, sectors, type }] of expected.entries()) {
    const found = table.partitions[index];
    if (!found) continue;
    problems.push(
      ...differs(`the name of partition ${index + 1}`, found.name, name),
      ...differs(`the size of ${name} in sectors`, found.size, sectors),
      ...differs(`the type of ${name}`, found.type, type),
    );
    if (found.start % SECTORS_PER_MIB !== 0)
      problems.push(`${name} begins at ${found.start}, which is not a multiple of 1 MiB`);
    if (found.start < free) problems.push(`${name} begins at ${found.start}, inside the previous partition`);
    free = found.start + found.size;
  }
  for (const name of ['BOOT', 'ROOTFS_A', 'ROOTFS_B']) {
    const number = numberOf(evidence, `${name}_PART`);
    const found = table.partitions[number - 1]?.name;
    problems.push(...differs(`partition ${number} (${name}_PART)`, found, textOf(evidence, `${name}_LABEL`)));
  }
  return [...problems, ...mbrProblems(evidence, mbrEntries(mbr))];
}

function mbrProblems(evidence: Evidence, entries: MbrEntry[]): string[] {
  const kind = textOf(evidence, 'PARTITION_TABLE');
  const types = kind === 'hybrid' ? [FAT, PROTECTIVE] : [PROTECTIVE];
  const problems = differs(
    "the MBR's types",
    entries.map(({ type }) => type.toString(16)).join(' '),
    types.map((type) => type.toString(16)).join(' '),
  );
  const [first] = entries;
  const [boot] = evidence.table.partitions;
  if (kind === 'hybrid' && first && boot) {
    problems.push(
      ...differs("the start of the MBR's FAT", first.start, boot.start),
      ...differs("the size of the MBR's FAT", first.size, boot.size),
    );
  }
  return problems;
}
