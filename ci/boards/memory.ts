import { numberOf } from './defined.ts';
import type { Evidence } from './evidence.ts';

const MIB = 2 ** 20;
/** The largest kernel and initramfs that the boot script must have room for. */
const KERNEL_MAX = 64 * MIB;
const INITRD_MAX = 32 * MIB;
/** The scratch bytes, followed by the generation counters of the two environment copies. */
const SCRATCH_SIZE = 0x30;

interface Range {
  name: string;
  start: number;
  end: number;
}

/**
 * The memory ranges that the boot script writes to, for the largest permitted kernel and initramfs, and the one that it must
 * not write to because it holds the last panic.
 */
export function memoryOfScript(evidence: Pick<Evidence, 'defined'>): Range[] {
  const range = (name: string, size: number): Range => {
    const start = numberOf(evidence, name);
    return { name, start, end: start + size };
  };
  const envSize = numberOf(evidence, 'ENV_SIZE');
  return [
    range('KERNEL_ADDR', KERNEL_MAX),
    range('INITRD_ADDR', INITRD_MAX),
    range('ENV_0', envSize),
    range('ENV_1', envSize),
    range('ENV_SCRATCH', SCRATCH_SIZE),
    ...(evidence.defined.get('RAMOOPS_ADDR')
      ? [range('RAMOOPS_ADDR', numberOf(evidence, 'RAMOOPS_SIZE'))]
      : []),
  ];
}

/** Checks that no memory ranges overlap, and that all are in memory which every model of the board has. */
export function memoryProblems(evidence: Pick<Evidence, 'defined'>): string[] {
  const ranges = memoryOfScript(evidence);
  const start = numberOf(evidence, 'MEMORY_START');
  const end = start + numberOf(evidence, 'MEMORY_MIB') * MIB;
  const outside = ranges
    .filter((range) => range.start < start || range.end > end)
    .map((range) => `${show(range)} is outside the memory, ${hex(start)} to ${hex(end)}`);
  const overlaps = ranges.flatMap((one, index) =>
    ranges
      .slice(index + 1)
      .filter((other) => one.start < other.end && other.start < one.end)
      .map((other) => `${show(one)} and ${show(other)} overlap`),
  );
  return [...outside, ...overlaps];
}

function show({ name, start, end }: Range): string {
  return `${name} (${hex(start)} to ${hex(end)})`;
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
