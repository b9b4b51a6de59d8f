/** Runs test cases on a machine and compares the resulting disk with the oracle. */
import { deepStrictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { type Architecture, defined, type PreparedBoard } from './board.ts';
import type { Case } from './cases.ts';
import { type Files, TestDisk } from './disk.ts';
import { decode } from './environment.ts';
import { tailOfConsole, UBootMachine } from './machine.ts';
import { type Boot, expectedBoot, type Slot } from './oracle.ts';

/** A run stops after this many failed cases; more would not be informative. */
const MAX_FAILURES = 3;
/** Offset from the initramfs's address at which the script is loaded: the script itself uses no memory there. */
const SCRIPT_OFFSET = 0x1000000;

/** A started slot with its kernel arguments and initramfs. */
export interface Start {
  slot: string;
  bootargs: string;
  initramfs: string;
}

/** Starts a machine with U-Boot from `firmware` and a disk, given as a part of QEMU's -drive argument. */
export async function startMachine(
  architecture: Architecture,
  board: PreparedBoard,
  firmware: string,
  socket: string,
  disk = `file=${join(board.folder, 'disk.img')}`,
): Promise<UBootMachine> {
  const memory = defined(board.definitions, 'MEMORY_MIB');
  const devices = ['-m', memory, '-bios', firmware, '-drive', `${disk},if=virtio,format=raw`];
  return await UBootMachine.start(await architecture.qemu(), [...architecture.machine, ...devices], socket);
}

/** The expected kernel arguments of a slot. */
function bootargs(board: PreparedBoard, slot: Slot): string {
  const label = defined(board.definitions, `ROOTFS_${slot}_LABEL`);
  return `root=PARTLABEL=${label} ro rauc.slot=${slot} panic=5 ${defined(board.definitions, 'KERNEL_ARGS')}`;
}

/** Parses the console output of the payload that runs instead of a kernel; undefined when none ran. */
export function parseStart(console: string): Start | undefined {
  const found = /^kernel (.): (.*?)\r?\ninitramfs: (.*?)\r?$/m.exec(console);
  return found ? { slot: found[1] ?? '', bootargs: found[2] ?? '', initramfs: found[3] ?? '' } : undefined;
}

/** Boots each case completely, from power-on to the output of the kernel. Returns the files after each boot. */
export async function bootCases(
  architecture: Architecture,
  board: PreparedBoard,
  cases: readonly Case[],
  socket: string,
): Promise<Files[]> {
  const disk = new TestDisk(board);
  const machine = await startMachine(architecture, board, board.firmware, socket);
  const after: Files[] = [];
  try {
    await eachCase(cases, async (each) => {
      disk.prepare(each.files, each.slots);
      const console = await machine.boot();
      return checkOutcome(console, () => {
        const expected = compareDisk(disk, each);
        const content = each.slots?.[expected.slot] ?? 'whole';
        const { slot } = expected;
        const start = { slot, bootargs: bootargs(board, slot), initramfs: `of slot ${slot}` };
        deepStrictEqual(parseStart(console), content === 'whole' ? start : undefined);
        const gaveUp = console.includes(`vitrine: slot ${slot} does not start`);
        deepStrictEqual(gaveUp, content !== 'whole', 'whether the script says that the slot does not start');
        after.push(disk.files());
      });
    });
  } finally {
    await machine.end();
    disk.close();
  }
  return after;
}

/** Boots from a read-only disk: the slot must start anyway. */
export async function bootUnwritable(
  architecture: Architecture,
  board: PreparedBoard,
  socket: string,
): Promise<void> {
  const disk = new TestDisk(board);
  const before = disk.files();
  disk.close();
  const drive = `readonly=on,file=${join(board.folder, 'disk.img')}`;
  const machine = await startMachine(architecture, board, board.firmware, socket, drive);
  try {
    const { slot } = expectedBoot([decode(before[0]), decode(before[1])]);
    const start = { slot, bootargs: bootargs(board, slot), initramfs: `of slot ${slot}` };
    const console = await machine.boot();
    checkOutcome(console, () => deepStrictEqual(parseStart(console), start));
  } finally {
    await machine.end();
  }
}

/**
 * Sources the script for each case at U-Boot's prompt, which takes a tenth of the time of a boot. In the script only the
 * command that starts the kernel is replaced by output.
 */
export async function sourceCases(
  architecture: Architecture,
  board: PreparedBoard,
  cases: readonly Case[],
  socket: string,
): Promise<void> {
  const disk = new TestDisk(board);
  disk.replaceScript((text) => {
    const command = defined(board.definitions, 'BOOT_COMMAND');
    if (!text.includes(`\n    ${command}\n`)) throw new Error(`the script has no line "${command}"`);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: U-Boot expands it
    return text.replace(command, () => 'echo "kernel ${slot}: ${bootargs}"; echo "initramfs: none"; exit');
  });
  const machine = await startMachine(architecture, board, board.firmwareWithBootDelay, socket);
  try {
    await machine.powerOn();
    await machine.waitForOutput(/Hit any key/);
    machine.type('');
    await machine.waitForOutput(/=> $/);
    const type = defined(board.definitions, 'BOOT_DEVTYPE');
    const device = `${type} ${defined(board.definitions, 'BOOT_DEVNUM')}:${defined(board.definitions, 'BOOT_PART')}`;
    const address = (Number(defined(board.definitions, 'INITRD_ADDR')) + SCRIPT_OFFSET).toString(16);
    // Without the block cache U-Boot sees changes of the disk.
    machine.type(`${type} scan; blkcache configure 0 0; load ${device} ${address} boot.scr`);
    await machine.waitForOutput(/bytes read.*=> $/s);
    await eachCase(cases, async (each) => {
      disk.prepare(each.files);
      machine.type(`env default -a; source ${address}`);
      await machine.waitForOutput(/^initramfs: none\r?\n=> $/m);
      const { console } = machine;
      return checkOutcome(console, () => {
        const { slot } = compareDisk(disk, each);
        deepStrictEqual(parseStart(console), { slot, bootargs: bootargs(board, slot), initramfs: 'none' });
      });
    });
  } finally {
    await machine.end();
    disk.close();
  }
}

/** Compares the FAT after a boot with the expected result of the case, and returns the latter. */
function compareDisk(disk: TestDisk, { files }: Case): Boot {
  const before = [decode(files[0]), decode(files[1])] as const;
  const expected = expectedBoot(before);
  const after = disk.files();
  deepStrictEqual(disk.boot().problems(), [], 'problems of the FAT');
  deepStrictEqual(decode(after[expected.copy]), expected.written, `the content of copy ${expected.copy}`);
  const untouched = expected.copy === 0 ? 1 : 0;
  const same = files[untouched] ? after[untouched]?.equals(files[untouched]) : after[untouched] === undefined;
  deepStrictEqual(same, true, `whether copy ${untouched} is untouched`);
  return expected;
}

/** Runs all cases. Throws an error with the first failures and their consoles. */
async function eachCase(cases: readonly Case[], run: (each: Case) => Promise<void>): Promise<void> {
  const failures: string[] = [];
  for (const each of cases) {
    try {
      await run(each);
    } catch (error) {
      failures.push(`${each.name}: ${errorMessage(error)}`);
      // With a machine that no longer answers every further case would run into its time limit.
      if (failures.length === MAX_FAILURES || !(error instanceof WrongOutcome)) break;
    }
  }
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
}

/** The boot ended, but with a wrong result. */
class WrongOutcome extends Error {}

function checkOutcome(console: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new WrongOutcome(`${errorMessage(error)}\n${tailOfConsole(console)}`);
  }
}
