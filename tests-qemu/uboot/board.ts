/** The test systems: the two boards that QEMU emulates, with the U-Boot of Debian. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInBuilder } from '../../ci/image/builder.ts';
import { withBootDelay } from '../../ci/image/lib/assembly.ts';
import { runTool } from '../../ci/lib/tool.ts';
import { ensureQemu, installed, type Program } from '../../ci/qemu/program.ts';

const ASSEMBLE_TIMEOUT_MS = 60_000;
const FIRMWARE = 'firmware';

export interface Architecture {
  name: 'x86_64' | 'arm64';
  /** Folder in board/. */
  board: string;
  qemu(): Promise<Program>;
  machine: readonly string[];
  /** In the package u-boot-qemu's usr/lib/u-boot. */
  uboot: string;
  assembler: { source: string; command: readonly string[]; objcopy: string };
}

export const ARCHITECTURES: readonly [Architecture, ...Architecture[]] = [
  {
    name: 'x86_64',
    board: 'virt',
    qemu: async () => (await ensureQemu()).system,
    machine: ['-M', 'pc', '-cpu', 'Nehalem'],
    uboot: 'qemu-x86_64/u-boot.rom',
    assembler: { source: 'payload-x86_64.S', command: ['as', '--64'], objcopy: 'objcopy' },
  },
  {
    name: 'arm64',
    board: 'virt-aarch64',
    qemu: async () => installed('qemu-system-aarch64'),
    machine: ['-M', 'virt', '-cpu', 'cortex-a57'],
    uboot: 'qemu_arm64/u-boot.bin',
    assembler: {
      source: 'payload-aarch64.S',
      command: ['aarch64-linux-gnu-as'],
      objcopy: 'aarch64-linux-gnu-objcopy',
    },
  },
];

/** A board's definitions, by name; those of board/common/render.sh. */
export type Definitions = ReadonlyMap<string, string>;

/** The value of a definition. Throws when it is not defined. */
export function defined(definitions: Definitions, name: string): string {
  const value = definitions.get(name);
  if (value === undefined) throw new Error(`the board defines no ${name}`);
  return value;
}

/** A folder with a board's disk (see make-disk.sh) and firmware. */
export interface PreparedBoard {
  folder: string;
  definitions: Definitions;
  /** U-Boot as in the virt image: it boots without a delay. */
  firmware: string;
  /** U-Boot with a boot delay of nine seconds, in which a key leads to the prompt. */
  firmwareWithBootDelay: string;
}

/** Creates an architecture's kernels, disk and firmware in an empty folder. */
export async function prepareBoard(architecture: Architecture, folder: string): Promise<PreparedBoard> {
  await mkdir(join(folder, FIRMWARE), { recursive: true });
  await Promise.all(['A', 'B'].map((slot) => assemble(architecture, slot, join(folder, `kernel-${slot}`))));
  await runInBuilder(folder, ['/src/tests-qemu/uboot/make-disk.sh', architecture.board]);
  const text = await readFile(join(folder, 'board.txt'), 'utf8');
  const lines = text.split('\n').filter(Boolean);
  const definitions = new Map(
    lines.map((line) => {
      const equals = line.indexOf('=');
      return [line.slice(0, equals), line.slice(equals + 1)];
    }),
  );
  const firmwareWithBootDelay = join(folder, 'u-boot-with-boot-delay');
  const firmware = join(folder, 'u-boot');
  const rom = await readFile(join(folder, FIRMWARE, 'usr/lib/u-boot', architecture.uboot));
  await writeFile(firmware, withBootDelay(rom, 0));
  // The longest delay with one digit: on a busy computer the default of two seconds may be too short to send a key.
  await writeFile(firmwareWithBootDelay, withBootDelay(rom, 9));
  return { folder, definitions, firmware, firmwareWithBootDelay };
}

/** Assembles the kernel of a slot, which prints the slot's name. */
async function assemble({ assembler }: Architecture, slot: string, output: string): Promise<void> {
  const { source, command, objcopy } = assembler;
  const object = `${output}.o`;
  const path = fileURLToPath(new URL(source, import.meta.url));
  const symbol = `SLOT=${slot.charCodeAt(0)}`;
  const [program = '', ...options] = [...command, '--defsym', symbol, path, '-o', object];
  await tool(program, options);
  await tool(objcopy, ['-O', 'binary', '-j', '.text', object, output]);
}

async function tool(program: string, args: string[]): Promise<void> {
  const { ok, output } = await runTool(program, args, ASSEMBLE_TIMEOUT_MS);
  if (!ok) throw new Error(`${program} ${args.join(' ')}: ${output}`);
}
