/**
 * The boot script as U-Boot runs it, from Debian's u-boot-qemu, on the boards virt (x86_64) and virt-aarch64 (arm64),
 * which run side by side. The disk is made by the board's own post-image.sh; only what is in the slots is not the real
 * thing: a kernel of some hundred bytes that says which slot's it is, its command line and its initramfs, and resets.
 * After every case the environment is read back from the FAT and compared with the oracle (../uboot/oracle.ts): slot,
 * order and counters, which copy was written with which generation, that the other one is untouched, that the FAT is
 * whole.
 *
 * Covered (../uboot/cases.ts makes the cases):
 * - BOOT_ORDER: both slots in either order, one slot, empty, missing, another name, a slot twice; with BOOT_A_LEFT and
 *   BOOT_B_LEFT each 0, 1, 2, 3, missing and no number; the whole product, read from copy 0 and from copy 1, with each
 *   generation from 0 to 255. A few more odd ones: other names among the slots, further blanks, a command; counters that
 *   are empty, 7, 255, negative.
 * - The copies: every relation of generations (next, equal, ff to 0 on either side, across 7f, far apart); one or both
 *   missing, empty, zero, ones, with a wrong byte in crc, text or padding, short by one byte or more; too long; without
 *   a variable; with others' variables.
 * - A write of either copy cut after each of its sectors, or with half of them. And real cuts: the power goes between
 *   any two write commands of a boot, over the old copy and for a new file.
 * - Slots without kernel or without initramfs, each as the first and as the second of the order.
 * - A disk that refuses to be written.
 * - The pairs of copies, and those that boots left, as libubootenv reads them.
 *
 * A sample is booted from power-on to the kernel; the rest is sourced at U-Boot's prompt with the one command replaced
 * that starts the kernel (../uboot/runs.ts), since a boot takes ten times as long.
 *
 * Not covered: the Raspberry Pi's own U-Boot.
 */
import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder, requireFreeSpace, runtimeFolder } from '../../ci/lib/places.ts';
import { removeLeftovers } from '../harness/leftovers.ts';
import { type BareBench, scenario } from '../harness/suite.ts';
import { ARCHITECTURES, type Architecture, defined, type Prepared, prepareBoard } from '../uboot/board.ts';
import { booted, product, states, torn } from '../uboot/cases.ts';
import { cutBoots } from '../uboot/cuts.ts';
import type { Files } from '../uboot/disk.ts';
import { decode, ENVIRONMENT_SIZE, inForce } from '../uboot/environment.ts';
import { areWhole, libubootenvReads } from '../uboot/libubootenv.ts';
import { ATTEMPTS } from '../uboot/oracle.ts';
import { bootCases, bootUnwritable, sourceCases } from '../uboot/runs.ts';

const ROOM = 64 * 2 ** 20;
/** U-Boot writes the data, both tables and the directory, each in more than one write, for either beginning. */
const LEAST_CUTS = 8;
/** The longest takes half a minute on an idle computer. */
const TIMEOUT_MS = 10 * 60_000;

async function onArchitecture(
  { test }: BareBench,
  architecture: Architecture,
  folder: string,
): Promise<void> {
  const { name } = architecture;
  const own = join(folder, name);
  const sockets = join(runtimeFolder(`test-uboot-${process.pid}`), name);
  const socket = `${sockets}.qmp`;
  let board: Prepared | undefined;
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
    `${name}: ${real.length} boots to the slot's own words`,
    async () => {
      left = await bootCases(architecture, prepared, real, socket);
    },
    TIMEOUT_MS,
  );
  await test(`${name}: a disk that refuses to be written boots`, () =>
    bootUnwritable(architecture, prepared, socket));
  await test(`${name}: libubootenv reads what boots left, and the cases`, async () => {
    const pairs = [...left, ...[...states(), ...product()].map(({ files }) => files)].filter(areWhole);
    const read = await libubootenvReads(pairs, join(own, 'pairs'));
    for (const [i, [first, second]] of pairs.entries()) {
      const copies = [decode(first), decode(second)] as const;
      const found = copies[inForce(...copies) ?? 0]?.variables;
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
  for (const [what, cases] of [
    ['states of the copies', states()],
    ['writes cut short', torn()],
    ['orders, counters and copies in force', product()],
  ] as const) {
    const title = `${name}: ${cases.length} ${what}`;
    await test(title, () => sourceCases(architecture, prepared, cases, socket), TIMEOUT_MS);
  }
}

export default scenario({
  title: 'the boot script in U-Boot, on x86_64 and arm64: slot, counters and copies in every state',
  machine: 'none',
  places: 2,
  run: async (bench) => {
    const tests = join(cacheFolder(), 'tests');
    await requireFreeSpace(tests, ROOM, 'the test machines’ disks');
    await removeLeftovers(tests);
    const folder = join(tests, `test-uboot-${process.pid}`);
    const runtime = runtimeFolder(`test-uboot-${process.pid}`);
    await removeLeftovers(dirname(runtime));
    await mkdir(runtime, { recursive: true, mode: 0o700 });
    try {
      await Promise.all(ARCHITECTURES.map((each) => onArchitecture(bench, each, folder)));
    } finally {
      await rm(folder, { recursive: true, force: true });
      await rm(runtime, { recursive: true, force: true });
    }
  },
});
