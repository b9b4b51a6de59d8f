import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder, needRoom, runtimeFolder } from '../../ci/lib/places.ts';
import { removeLeftovers } from '../harness/leftovers.ts';
import { type BareBench, scenario } from '../harness/suite.ts';
import { ARCHITECTURES, type Architecture, prepareBoard } from '../uboot/board.ts';
import { booted, product, states, torn } from '../uboot/cases.ts';
import { cutBoots } from '../uboot/cuts.ts';
import { bootCases, sourceCases } from '../uboot/runs.ts';

const ROOM = 64 * 2 ** 20;
/** Two minutes on an idle computer. */
/** Six ways, and U-Boot writes at least data and directory. */
const LEAST_CUTS = 12;
const TIMEOUT_MS = 10 * 60_000;

async function onArchitecture(
  { test, options }: BareBench,
  architecture: Architecture,
  folder: string,
): Promise<void> {
  const { name } = architecture;
  const own = join(folder, name);
  const sockets = join(runtimeFolder(`test-uboot-${process.pid}`), name);
  const socket = `${sockets}.qmp`;
  let board: Awaited<ReturnType<typeof prepareBoard>> | undefined;
  await test(`${name}: the board's disk with slots of a few bytes`, async () => {
    board = await prepareBoard(architecture, own);
  });
  if (!board) return;
  const prepared = board;
  const real = booted();
  await test(
    `${name}: ${real.length} boots to the slot's own words`,
    async () => {
      await bootCases(architecture, prepared, real, socket);
    },
    TIMEOUT_MS,
  );
  await test(
    `${name}: power cuts at each write of a boot (seed ${options.seed})`,
    async () => {
      const cuts = await cutBoots(architecture, prepared, sockets, options.seed);
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
  run: async (bench) => {
    const tests = join(cacheFolder(), 'tests');
    await needRoom(tests, ROOM, 'the test machines’ disks');
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
