/**
 * Tests the boot script in U-Boot (Debian's u-boot-qemu) on the boards virt (x86_64) and virt-aarch64 (arm64), which run
 * in parallel. The board's own post-image.sh builds the disk. Only the content of the slots is fake: a kernel of some
 * hundred bytes that prints its slot, command line and initramfs, and resets. After every case the environment is read
 * from the FAT and compared with the oracle (../uboot/oracle.ts): slot, order and counters, which copy was written with
 * which generation, that the other copy is unchanged, and that the FAT is consistent.
 *
 * Covered (../uboot/cases.ts makes the cases):
 * - BOOT_ORDER: both slots in either order, one slot, empty, missing, another name, a slot twice. BOOT_A_LEFT and
 *   BOOT_B_LEFT: 0, 1, 2, 3, missing, not a number. With --long all combinations of these, in copy 0 and in copy 1, with
 *   all generations from 0 to 255; otherwise a fifth of them, with 58 generations. Also other names among the slots,
 *   additional blanks, a command; counters that are empty, 7, 255, negative.
 * - The copies: all relations of generations (next, equal, wrapping from ff to 0, across 7f, far apart); one or both
 *   missing, empty, all zero, all ones, with a wrong byte in crc, text or padding, short by one byte or more, too long,
 *   without a variable, with additional variables.
 * - A write of either copy interrupted after each of its sectors, or with half of them. And real power cuts between any
 *   two write commands of a boot, with an existing and with a missing file.
 * - Slots without kernel or without initramfs, each as the first and as the second in the order.
 * - A read-only disk.
 * - libubootenv reads the copies of the cases, and those written by boots, correctly.
 *
 * A sample of the cases is booted from power-on to the kernel. For the others the script is sourced at U-Boot's prompt,
 * with only the command replaced that starts the kernel (../uboot/runs.ts), since a boot takes ten times as long.
 *
 * Not covered: the Raspberry Pi's own U-Boot.
 */
import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder, requireFreeSpace, runtimeFolder } from '../../ci/lib/places.ts';
import { removeLeftovers } from '../harness/leftovers.ts';
import { type ContextWithoutDevice, scenario } from '../harness/suite.ts';
import {
  ARCHITECTURES,
  type Architecture,
  defined,
  type PreparedBoard,
  prepareBoard,
} from '../uboot/board.ts';
import { booted, product, states, torn } from '../uboot/cases.ts';
import { cutBoots } from '../uboot/cuts.ts';
import type { Files } from '../uboot/disk.ts';
import { activeCopy, decode, ENVIRONMENT_SIZE } from '../uboot/environment.ts';
import { areComplete, readWithLibubootenv } from '../uboot/libubootenv.ts';
import { ATTEMPTS } from '../uboot/oracle.ts';
import { bootCases, bootUnwritable, sourceCases } from '../uboot/runs.ts';

const ROOM = 64 * 2 ** 20;
/** For either initial state U-Boot writes data, both tables and the directory, each in several writes. */
const LEAST_CUTS = 8;
/** The longest test takes half a minute on an idle computer. */
const TIMEOUT_MS = 10 * 60_000;

async function onArchitecture(
  { test, options }: ContextWithoutDevice,
  architecture: Architecture,
  folder: string,
): Promise<void> {
  const { name } = architecture;
  const own = join(folder, name);
  const sockets = join(runtimeFolder(`test-uboot-${process.pid}`), name);
  const socket = `${sockets}.qmp`;
  let board: PreparedBoard | undefined;
  await test(`${name}: the board's disk with slots of a few bytes`, async () => {
    const made = await prepareBoard(architecture, own);
    assert.equal(Number(defined(made.definitions, 'ENV_SIZE')), ENVIRONMENT_SIZE);
    assert.equal(Number(defined(made.definitions, 'BOOT_ATTEMPTS')), ATTEMPTS);
    board = made;
  });
  if (!board) return;
  const prepared = board;
  const real = booted();
  let left: Files[] = [];
  await test(
    `${name}: ${real.length} boots to the output of the slot's kernel`,
    async () => {
      left = await bootCases(architecture, prepared, real, socket);
    },
    TIMEOUT_MS,
  );
  await test(`${name}: a read-only disk boots`, () => bootUnwritable(architecture, prepared, socket));
  await test(`${name}: libubootenv reads the environments of the cases and those written by boots`, async () => {
    const pairs = [...left, ...[...states(), ...product()].map(({ files }) => files)].filter(areComplete);
    const read = await readWithLibubootenv(pairs, join(own, 'pairs'));
    for (const [i, [first, second]] of pairs.entries()) {
      const copies = [decode(first), decode(second)] as const;
      const found = copies[activeCopy(...copies) ?? 0]?.variables;
      const trimmed = found && Object.entries(found).map(([key, value]) => [key, value.trimEnd()]);
      assert.deepEqual(read[i], trimmed && Object.fromEntries(trimmed));
    }
    assert.ok(left.length === real.length && pairs.length > left.length, `${pairs.length} pairs`);
  });
  await test(
    `${name}: power cuts after each write of a boot`,
    async () => {
      const cuts = await cutBoots(architecture, prepared, sockets);
      assert.ok(cuts >= LEAST_CUTS, `only ${cuts} cuts`);
    },
    TIMEOUT_MS,
  );
  // Every fifth has all orders, counters and copies, but not all their combinations.
  const combined = product().filter((_, i) => options.long || i % 5 === 0);
  for (const [what, cases] of [
    ['states of the copies', states()],
    ['interrupted writes', torn()],
    ['orders, counters and active copies', combined],
  ] as const) {
    const title = `${name}: ${cases.length} ${what}`;
    await test(title, () => sourceCases(architecture, prepared, cases, socket), TIMEOUT_MS);
  }
}

export default scenario({
  title: 'the boot script in U-Boot for all states of the environment, on x86_64, and with --long on arm64',
  machine: 'none',
  run: async (context) => {
    const tests = join(cacheFolder(), 'tests');
    await requireFreeSpace(tests, ROOM, 'the test machines’ disks');
    await removeLeftovers(tests);
    const folder = join(tests, `test-uboot-${process.pid}`);
    const runtime = runtimeFolder(`test-uboot-${process.pid}`);
    await removeLeftovers(dirname(runtime));
    await mkdir(runtime, { recursive: true, mode: 0o700 });
    try {
      const [first, ...others] = ARCHITECTURES;
      const long = { ...context, test: context.longTest };
      await Promise.all([
        onArchitecture(context, first, folder),
        ...others.map((each) => onArchitecture(long, each, folder)),
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
      await rm(runtime, { recursive: true, force: true });
    }
  },
});
