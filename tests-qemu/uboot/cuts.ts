/**
 * Power cuts while U-Boot writes the environment, between any two of its writes: the next boot must use the valid copy.
 * QEMU flushes each of U-Boot's writes before the next one (the test checks this), so a cut neither loses nor tears a
 * write. Partly written copies are tested by the cases of cases.ts.
 */
import { deepStrictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { NbdServer } from '../harness/power-loss/nbd.ts';
import { Random } from '../harness/power-loss/random.ts';
import { VolatileDisk } from '../harness/power-loss/volatile-disk.ts';
import type { Architecture, PreparedBoard } from './board.ts';
import { BOOT_BYTES, type Files, TestDisk } from './disk.ts';
import { decode, encode } from './environment.ts';
import { FatVolume } from './fat.ts';
import { tailOfConsole } from './machine.ts';
import { expectedBoot } from './oracle.ts';
import { parseStart, startMachine } from './runs.ts';

/** Far more writes than a boot makes. */
const MAX_WRITES = 50;

const older = encode({
  generation: 255,
  variables: { BOOT_ORDER: 'A B', BOOT_A_LEFT: '3', BOOT_B_LEFT: '3', FILLER: 'x'.repeat(15_000) },
});
const newer = encode({ generation: 0, variables: { BOOT_ORDER: 'B A', BOOT_A_LEFT: '3', BOOT_B_LEFT: '2' } });
/** The initial states: the boot overwrites the old copy, or creates a missing file. Copy 1 is the active one. */
const BEGINNINGS: readonly Files[] = [
  [older, newer],
  [undefined, newer],
];

/** Cuts the power after each write of a boot and boots again. Returns the number of cuts. */
export async function cutBoots(
  architecture: Architecture,
  board: PreparedBoard,
  sockets: string,
): Promise<number> {
  let cuts = 0;
  for (const files of BEGINNINGS) {
    for (let writes = 1; writes < MAX_WRITES; writes++) {
      if (!(await cutBoot(architecture, board, sockets, files, writes))) break;
      cuts++;
    }
  }
  return cuts;
}

/** Cuts the power after this many writes and boots again. Returns false when the boot had fewer writes. */
async function cutBoot(
  architecture: Architecture,
  board: PreparedBoard,
  sockets: string,
  files: Files,
  writes: number,
): Promise<boolean> {
  const factory = new TestDisk(board);
  factory.prepare(files);
  const disk = new VolatileDisk(join(board.folder, 'disk.img'), join(board.folder, 'overlay.img'));
  const socket = `${sockets}.nbd`;
  const nbd = await NbdServer.start(disk, socket);
  const power = (): ReturnType<typeof startMachine> =>
    startMachine(
      architecture,
      board,
      board.firmware,
      `${sockets}.qmp`,
      `file.driver=nbd,file.server.type=unix,file.server.path=${socket}`,
    );
  const read = (): Files => factory.files(new FatVolume(disk.read(factory.bootStart, BOOT_BYTES)));
  try {
    const frozen = Promise.withResolvers<'frozen'>();
    const first = await power();
    try {
      nbd.freezeAfter(writes, () => frozen.resolve('frozen'));
      await first.powerOn();
      const end = await Promise.race([frozen.promise, first.reset().then(() => 'reset' as const)]);
      if (end === 'reset') return false;
    } finally {
      await first.end();
    }
    // There are no unflushed writes, so the random generator is not used.
    deepStrictEqual(disk.cut(new Random(0), 'none').writes, 0, 'each write is flushed before the next one');
    nbd.thaw();
    const found = read();
    const expected = expectedBoot([decode(found[0]), decode(found[1])]);
    const second = await power();
    let console = '';
    try {
      console = await second.boot();
      deepStrictEqual(parseStart(console)?.slot, expected.slot);
      deepStrictEqual(decode(read()[expected.copy]), expected.written);
      if (found[1] && expected.copy === 0)
        deepStrictEqual(read()[1]?.equals(found[1]), true, 'copy 1 is untouched');
    } catch (error) {
      throw new Error(`cut after ${writes} writes: ${errorMessage(error)}\n${tailOfConsole(console)}`);
    } finally {
      await second.end();
    }
    return true;
  } finally {
    await nbd.close();
    disk.close();
    factory.close();
  }
}
