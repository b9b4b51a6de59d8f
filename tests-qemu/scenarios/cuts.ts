/**
 * Power cuts. One or two machines, each with its own disk, are cut off during uploads, replacements and deletions of bundles,
 * patches of the configuration, uploads and deletions of the splash image and of certificate authorities, and, in half of
 * the rounds, while an update is installed or applied, over HTTP and over the serial link. After every cut the machine boots through U-Boot with the disk as the cut left it.
 *
 * A cut: the disk accepts no more writes, QEMU gets SIGKILL, and a seeded random generator decides for each unflushed
 * write of the guest whether it is kept, lost or torn at a sector (harness/power-loss/volatile-disk.ts). Most cuts come a
 * random number of disk commands after a request was begun, verified or confirmed, so that they hit commits; the others
 * come after a random time of up to 3 s. The image is the released one. So that the boots fit into a CI run, units that
 * neither the API nor /data needs are not started (units/minimal), there is no screen, and the machine has one processor.
 *
 * Checks after each boot:
 * - The API answers and health reports no problem.
 * - /data is the same file system, and replaying its journal was enough. Only if the cut tore a write, e2fsck may have
 *   repaired it, see harness/power-loss/inspection.ts. The last cut, of an idle machine, tears the superblock and the
 *   header of the partition table; both are restored from their backups.
 * - Each confirmed bundle is listed with its digest, its file has that digest, and its check is ok. A bundle with a
 *   pending request is the old or the new one. No other bundle is listed and no other file exists.
 * - The same for configuration, splash image and certificate authorities.
 * - An update whose operation was seen to be done is pending, until `apply` was answered; then it was tried. Its slot has no
 *   system, so that the device returns after three attempts. An interrupted one leaves the inactive slot incomplete.
 *
 * `npm run test:qemu -- cuts --cuts N --seed S` sets the number of cuts (default: 3) and the seed (default: random). A
 * seed reproduces the requests and cuts, but not the exact progress of the guest at each cut.
 */
import { runtimeFolder } from '../../ci/lib/places.ts';
import { CutMachine } from '../harness/power-loss/cut-machine.ts';
import { Random } from '../harness/power-loss/random.ts';
import { CutRounds } from '../harness/power-loss/rounds.ts';
import type { WorkloadOptions } from '../harness/power-loss/workload.ts';
import { type ContextWithoutDevice, scenario } from '../harness/suite.ts';
import { developmentUpdates } from '../harness/updates.ts';

/** Many cuts are done on two machines at the same time, one for each processor. */
const MACHINES = ['a', 'b'] as const;
const CUTS_FOR_TWO = 20;
/** The last cut of this machine damages superblock and partition table. It has at least as many cuts as the other one. */
const HEADERS_MACHINE = 'a';
/** Of the update bundles; all are newer than the image. */
const VERSIONS = ['9.0.1', '9.0.2', '9.0.3'] as const;
const ROUND_TIMEOUT_MS = 10 * 60_000;
/** A round takes 40 s of processor time without KVM, and much longer on a busy computer. */
const MEAN_ROUND_MS = 120_000;

async function runCuts(
  context: ContextWithoutDevice,
  name: string,
  cuts: number,
  rounds: CutRounds,
): Promise<void> {
  await rounds.begin();
  for (let i = 1; i <= cuts; i++) {
    const { summary, problems, bootSeconds, dataState, repair } = await rounds.round();
    const data = [`/data ${dataState}`, ...repair].join('; ');
    const line = `${name} ${i}: ${summary}; up after ${bootSeconds.toFixed(1)} s, ${data}`;
    context.print(`          ${line}\n`);
    if (problems.length > 0) throw new Error(`cut ${line}\n${problems.join('\n')}`);
  }
}

async function damageHeaders(rounds: CutRounds): Promise<void> {
  const problems = await rounds.damagedHeaders();
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

async function testMachine(
  context: ContextWithoutDevice,
  name: (typeof MACHINES)[number],
  cuts: number,
  updates: WorkloadOptions['updates'],
): Promise<void> {
  const machine = await CutMachine.make(context.image, name);
  const drawn = name === HEADERS_MACHINE ? cuts - 1 : cuts;
  try {
    // Each machine has its own random sequence, independent of the other one.
    const random = new Random(context.options.seed * MACHINES.length + MACHINES.indexOf(name));
    const rounds = new CutRounds(machine, random, updates);
    const timeoutMs = ROUND_TIMEOUT_MS + cuts * MEAN_ROUND_MS;
    await context.test(
      `${drawn} cuts of machine ${name}`,
      () => runCuts(context, name, drawn, rounds),
      timeoutMs,
    );
    if (drawn === cuts) return;
    const title = 'a torn superblock and a damaged partition table are restored from their backups';
    await context.test(title, () => damageHeaders(rounds));
  } finally {
    await machine.discard();
  }
}

export default scenario({
  title:
    'after power cuts that lose unflushed writes the device boots, with all confirmed data and nothing half-written',
  machine: 'none',
  run: async (context) => {
    const { cuts, seed } = context.options;
    context.print(`  (${cuts} cuts; to repeat: npm run test:qemu -- cuts --cuts ${cuts} --seed ${seed})\n`);
    const updates = await developmentUpdates(runtimeFolder(`test-cuts-updates-${process.pid}`), VERSIONS);
    const names = MACHINES.slice(0, cuts < CUTS_FOR_TWO ? 1 : 2);
    await Promise.all(
      names.map(async (name, index) => {
        const share = Math.floor((cuts + names.length - 1 - index) / names.length);
        if (share > 0) await testMachine(context, name, share, updates);
      }),
    );
  },
});
