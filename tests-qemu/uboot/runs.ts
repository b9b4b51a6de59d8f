/** Runs cases of the truth table on a machine and compares what became of the disk with what the oracle says. */
import { deepStrictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { messageOf } from '../../ci/lib/problem.ts';
import { type Architecture, defined, type Prepared } from './board.ts';
import type { Case } from './cases.ts';
import { type Files, TestDisk } from './disk.ts';
import { decode } from './environment.ts';
import { tailOfConsole, UBootMachine } from './machine.ts';
import { type Boot, expectedBoot, type Slot } from './oracle.ts';

/** Failed cases that are told; the rest of a run that fails so often tells nothing new. */
const TOLD = 3;
/** Memory for the script, past the initramfs's first MiB: nothing else of the script's lies there. */
const SCRIPT_OFFSET = 0x1000000;

/** A slot that was started, and with what. */
export interface Start {
  slot: string;
  bootargs: string;
  initramfs: string;
}

/** A machine with U-Boot from `firmware` and a disk, in QEMU's words for where it lies. */
export async function startMachine(
  architecture: Architecture,
  board: Prepared,
  firmware: string,
  socket: string,
  disk = `file=${join(board.folder, 'disk.img')}`,
): Promise<UBootMachine> {
  const memory = defined(board.definitions, 'MEMORY_MIB');
  const devices = ['-m', memory, '-bios', firmware, '-drive', `${disk},if=virtio,format=raw`];
  return await UBootMachine.start(architecture.qemu, [...architecture.machine, ...devices], socket);
}

/** What the kernel is told when the slot is started. */
function bootargs(board: Prepared, slot: Slot): string {
  const label = defined(board.definitions, `ROOTFS_${slot}_LABEL`);
  return `root=PARTLABEL=${label} ro rauc.slot=${slot} panic=5 ${defined(board.definitions, 'KERNEL_ARGS')}`;
}

/** What the payload said that runs instead of a kernel; undefined when none ran. */
export function startOf(console: string): Start | undefined {
  const found = /^kernel (.): (.*?)\r?\ninitramfs: (.*?)\r?$/m.exec(console);
  return found ? { slot: found[1] ?? '', bootargs: found[2] ?? '', initramfs: found[3] ?? '' } : undefined;
}

/** Boots each case for real, from power-on to the kernel's own words; gives the files after each. */
export async function bootCases(
  architecture: Architecture,
  board: Prepared,
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
      return told(console, () => {
        const expected = compareDisk(disk, each);
        const content = each.slots?.[expected.slot] ?? 'whole';
        const { slot } = expected;
        const start = { slot, bootargs: bootargs(board, slot), initramfs: `of slot ${slot}` };
        deepStrictEqual(startOf(console), content === 'whole' ? start : undefined);
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

/** Boots from a disk that refuses to be written: the slot starts all the same. */
export async function bootUnwritable(
  architecture: Architecture,
  board: Prepared,
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
    told(console, () => deepStrictEqual(startOf(console), start));
  } finally {
    await machine.end();
  }
}

/**
 * Sources the script for each case at U-Boot's prompt, which takes a tenth of a boot's time. Up to the command that
 * starts the kernel it is the same script; that one is replaced by words.
 */
export async function sourceCases(
  architecture: Architecture,
  board: Prepared,
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
    await machine.says(/Hit any key/);
    machine.type('');
    await machine.says(/=> $/);
    const type = defined(board.definitions, 'BOOT_DEVTYPE');
    const device = `${type} ${defined(board.definitions, 'BOOT_DEVNUM')}:${defined(board.definitions, 'BOOT_PART')}`;
    const address = (Number(defined(board.definitions, 'INITRD_ADDR')) + SCRIPT_OFFSET).toString(16);
    // Without a cache of blocks U-Boot sees what is changed on the disk meanwhile.
    machine.type(`${type} scan; blkcache configure 0 0; load ${device} ${address} boot.scr`);
    await machine.says(/bytes read.*=> $/s);
    await eachCase(cases, async (each) => {
      disk.prepare(each.files);
      machine.type(`env default -a; source ${address}`);
      await machine.says(/^initramfs: none\r?\n=> $/m);
      const { console } = machine;
      return told(console, () => {
        const { slot } = compareDisk(disk, each);
        deepStrictEqual(startOf(console), { slot, bootargs: bootargs(board, slot), initramfs: 'none' });
      });
    });
  } finally {
    await machine.end();
    disk.close();
  }
}

/** Compares the FAT after a boot with what had to come of the case; gives what that was. */
function compareDisk(disk: TestDisk, { files }: Case): Boot {
  const before = [decode(files[0]), decode(files[1])] as const;
  const expected = expectedBoot(before);
  const after = disk.files();
  deepStrictEqual(disk.boot().problems(), [], 'what is wrong with the FAT');
  deepStrictEqual(decode(after[expected.copy]), expected.written, `the content of copy ${expected.copy}`);
  const untouched = expected.copy === 0 ? 1 : 0;
  const same = files[untouched] ? after[untouched]?.equals(files[untouched]) : after[untouched] === undefined;
  deepStrictEqual(same, true, `whether copy ${untouched} is untouched`);
  return expected;
}

/** Runs all cases; throws with the first failures, each with its console. */
async function eachCase(cases: readonly Case[], run: (each: Case) => Promise<void>): Promise<void> {
  const failures: string[] = [];
  for (const each of cases) {
    try {
      await run(each);
    } catch (error) {
      failures.push(`${each.name}: ${messageOf(error)}`);
      // A machine that no longer answers would only let every further wait run out.
      if (failures.length === TOLD || !(error instanceof WrongOutcome)) break;
    }
  }
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
}

/** The boot ended, but not as it had to. */
class WrongOutcome extends Error {}

function told(console: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new WrongOutcome(`${messageOf(error)}\n${tailOfConsole(console)}`);
  }
}
