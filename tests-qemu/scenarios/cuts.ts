/**
 * Power cuts. Two machines with a disk each, on which a cut falls into uploads, replacements and deletions of bundles,
 * patches of the configuration, uploads and deletions of the splash image and of certificate authorities, by HTTP and
 * by the serial link. Every cut is followed by a boot of its own, through U-Boot, on the disk as the cut left it.
 *
 * A cut is: the disk takes nothing more, QEMU gets SIGKILL, and of the writes that the guest had not flushed each is
 * kept, lost or torn at a sector, by a seeded draw (harness/power-loss/volatile-disk.ts). Most cuts come a drawn number
 * of disk commands after a request began, was verified or was confirmed, so that they hit commits; the others come
 * after a drawn time, up to 3 s. The image is the one that ships. So that the boots fit a CI run, units that neither
 * the API nor /data need do not start (units/minimal), there is no screen, and the machine has one processor.
 *
 * After each boot: the API answers and health tells no problem; /data is the file system that it was, and its journal
 * was all that it needed, unless the cut tore a write: then e2fsck may have had to repair it, as harness/power-loss/
 * inspection.ts says, and the last cut, at rest, leaves the superblock torn in its write; each bundle that was confirmed
 * is listed with its digest, its file has that digest and its check is ok; one whose request was under way is the old
 * or the new one; nothing else is listed and no other file lies there; the same for configuration, splash image and
 * certificate authorities.
 *
 * `npm run test:qemu -- cuts --cuts N --seed S`: other numbers than 20 cuts and a seed of chance. The seed draws the
 * same requests and cuts again; how far the guest gets by then is its own.
 */
import { CutMachine } from '../harness/power-loss/cut-machine.ts';
import { Random } from '../harness/power-loss/random.ts';
import { CutRounds } from '../harness/power-loss/rounds.ts';
import { type BareBench, scenario } from '../harness/suite.ts';

/** One for each of the two processors that CI has. */
const MACHINES = ['a', 'b'] as const;
/** Its last cut tears the superblock. It has the same number of cuts as the other, or one more. */
const SUPERBLOCK_MACHINE = 'a';
const ROUND_TIMEOUT_MS = 10 * 60_000;
/** A round takes 40 s of a processor without KVM; on a busy computer much longer. */
const MEAN_ROUND_MS = 120_000;

async function cutAgainAndAgain(
  bench: BareBench,
  name: string,
  cuts: number,
  rounds: CutRounds,
): Promise<void> {
  await rounds.begin();
  for (let i = 1; i <= cuts; i++) {
    const { said, problems, bootSeconds, dataState, repair } = await rounds.round();
    const data = [`/data ${dataState}`, ...repair].join('; ');
    const line = `${name} ${i}: ${said}; up after ${bootSeconds.toFixed(1)} s, ${data}`;
    bench.print(`          ${line}\n`);
    if (problems.length > 0) throw new Error(`cut ${line}\n${problems.join('\n')}`);
  }
}

async function tearSuperblock(rounds: CutRounds): Promise<void> {
  const problems = await rounds.tornSuperblock();
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

async function testMachine(bench: BareBench, name: (typeof MACHINES)[number], cuts: number): Promise<void> {
  const machine = await CutMachine.make(bench.image, name);
  const drawn = name === SUPERBLOCK_MACHINE ? cuts - 1 : cuts;
  try {
    // Each machine has its own sequence, whatever the other one does.
    const random = new Random(bench.options.seed * MACHINES.length + MACHINES.indexOf(name));
    const rounds = new CutRounds(machine, random);
    const timeoutMs = ROUND_TIMEOUT_MS + cuts * MEAN_ROUND_MS;
    await bench.test(
      `${drawn} cuts of machine ${name}`,
      () => cutAgainAndAgain(bench, name, drawn, rounds),
      timeoutMs,
    );
    if (drawn === cuts) return;
    await bench.test('a cut that tears the superblock: it is restored from its copy', () =>
      tearSuperblock(rounds),
    );
  } finally {
    await machine.discard();
  }
}

export default scenario({
  title:
    'power cuts that lose unflushed writes: what was confirmed is there, nothing half is, the device is up',
  machine: 'none',
  places: 2,
  run: async (bench) => {
    const { cuts, seed } = bench.options;
    bench.print(`  (${cuts} cuts; to repeat: npm run test:qemu -- cuts --cuts ${cuts} --seed ${seed})\n`);
    await Promise.all(
      MACHINES.map(async (name, index) => {
        const share = Math.floor((cuts + MACHINES.length - 1 - index) / MACHINES.length);
        if (share > 0) await testMachine(bench, name, share);
      }),
    );
  },
});
