import { setTimeout as sleep } from 'node:timers/promises';
import { openSocket } from '../../../client/http.ts';
import { within } from '../../../testing/wait.ts';
import { connectSerial } from '../device.ts';
import type { CutMachine } from './cut-machine.ts';
import { inspect } from './inspection.ts';
import { Ledger } from './ledger.ts';
import { describePlan, drawPlan, drawUpdatePlan, type Moment, type Plan } from './plan.ts';
import { Random } from './random.ts';
import { SECTOR } from './volatile-disk.ts';
import { Workload, type WorkloadOptions } from './workload.ts';

/** If the moment or command of a plan does not come, the power is cut after this time. */
const ROUND_LIMIT_MS = 20_000;
/** An update is checked by the agent and by RAUC, which first has to start. */
const UPDATE_LIMIT_MS = 60_000;
const SETTLE_TIMEOUT_MS = 30_000;
/** Where /data begins on the disk, in sectors. */
const DATA_START = 'cat /sys/class/block/$(basename $(findmnt -no SOURCE /data))/start';
/** e2fsck's message about a superblock with a wrong checksum. */
const TORN_SUPERBLOCK = 'Superblock invalid, trying backup blocks';
/** Position of the superblock of an ext4 file system, in bytes. */
const SUPERBLOCK_OFFSET = 1024;
const CHECKSUM_SIZE = 4;
const DISK = '/dev/vda';
/** Position of the first header of the partition table (GPT), in bytes. */
const TABLE_HEADER_OFFSET = SECTOR;

/** The result of a round. */
export interface Round {
  bootSeconds: number;
  dataState: string;
  /** Output of e2fsck, if /data needed more than its journal. */
  repair: string[];
  /** Plan and cut, for the log. */
  summary: string;
  /** Problems after the cut; empty when everything is correct. */
  problems: string[];
}

/** Rounds of requests, power cut, boot and inspection on one machine. Each continues with the disk of the previous one. */
export class CutRounds {
  readonly #machine: CutMachine;
  readonly #random: Random;
  readonly #ledger = new Ledger();
  #rounds = 0;
  readonly #updates: WorkloadOptions['updates'];

  constructor(machine: CutMachine, random: Random, updates: WorkloadOptions['updates']) {
    this.#machine = machine;
    this.#random = random;
    this.#updates = updates;
  }

  /** The first boot: records the values of a factory-new device. */
  async begin(): Promise<void> {
    await this.#machine.boot();
    const { values, problems } = await inspect(this.#machine, false);
    if (problems.length > 0) throw new Error(`before any cut: ${problems.join('; ')}`);
    this.#ledger.compare(values);
  }

  /** Sends requests, cuts the power, boots again and inspects the device. */
  async round(): Promise<Round> {
    // Every other round, so that half of the cuts hit updates.
    const plan = this.#rounds++ % 2 === 0 ? drawUpdatePlan(this.#random) : drawPlan(this.#random);
    const { done, torn } = await this.#workAndCut(plan);
    const bootSeconds = await this.#machine.boot();
    const { values, problems, dataState, repair } = await inspect(this.#machine, torn);
    return {
      bootSeconds,
      dataState,
      repair,
      summary: `${describePlan(plan)}; ${done}`,
      problems: [...problems, ...this.#ledger.compare(values)],
    };
  }

  /**
   * Cuts the power of an idle device and damages what a cut during its write would damage, which is rare: tears the
   * superblock of /data between its two sectors, and clears the header of the partition table. Boots again and inspects
   * the device.
   * @returns the problems, including damage that was not detected; empty when everything is correct
   */
  async damagedHeaders(): Promise<string[]> {
    const { shell, disk } = this.#machine;
    const start = Number(await shell.ok(DATA_START)) * SECTOR;
    await this.#machine.cut(this.#fork());
    const secondHalf = start + SUPERBLOCK_OFFSET + SECTOR;
    // The second half ends with the checksum, which then does not match the first half.
    disk.write(secondHalf, disk.read(secondHalf, SECTOR).fill(0, SECTOR - CHECKSUM_SIZE));
    disk.write(TABLE_HEADER_OFFSET, Buffer.alloc(SECTOR));
    disk.flush();
    await this.#machine.boot();
    const { values, problems, dataState, repair } = await inspect(this.#machine, true);
    problems.push(...(await this.#partitionTableProblems()));
    if (!repair.some((line) => line.includes(TORN_SUPERBLOCK)))
      problems.push(`the torn superblock was not noticed: /data is ${dataState}`, ...repair);
    return [...problems, ...this.#ledger.compare(values)];
  }

  /** What is wrong after a boot with a damaged header of the partition table. */
  async #partitionTableProblems(): Promise<string[]> {
    const { shell } = this.#machine;
    const checks: [command: string, wanted: RegExp][] = [
      ['dmesg', /Primary GPT is invalid, using alternate GPT/],
      [`dd status=none if=${DISK} bs=512 skip=1 count=1 | head -c 8`, /^EFI PART/],
      [`sfdisk --verify ${DISK} 2>&1 | grep -ci corrupt; true`, /^0$/],
    ];
    const problems: string[] = [];
    for (const [command, wanted] of checks) {
      const output = await shell.ok(command);
      if (!wanted.test(output)) problems.push(`${command}: ${output.slice(-500)}`);
    }
    return problems;
  }

  #fork(): Random {
    return new Random(this.#random.integer(0, 2 ** 32 - 1));
  }

  /** @returns a summary for the log, and whether the cut tore a write */
  async #workAndCut(plan: Plan): Promise<{ done: string; torn: boolean }> {
    const { nbd } = this.#machine;
    const fate = this.#fork();
    const cut = Promise.withResolvers<string>();
    const seen: Record<Moment, number> = { begun: 0, verified: 0, confirmed: 0 };
    let armed = false;
    let off = false;
    const on = (moment: Moment): void => {
      seen[moment]++;
      if (armed || moment !== plan.moment || seen[moment] < plan.count) return;
      armed = true;
      if ('commands' in plan.trigger) nbd.freezeAfter(plan.trigger.commands, () => cut.resolve('in time'));
      else setTimeout(() => cut.resolve('in time'), plan.trigger.ms);
    };
    const socket = await openSocket(`${this.#machine.api.replace('http', 'ws')}/events`);
    const serial = await connectSerial(this.#machine.paths.serial);
    try {
      await socket.subscribe('operation');
      const options = {
        api: this.#machine.api,
        ledger: this.#ledger,
        updates: this.#updates,
        socket,
        serial,
        on,
        stopped: () => off || (armed && plan.quiet),
        off: () => off,
      };
      const working = Promise.all(
        // Each actor has its own random sequence, so that its requests do not depend on the speed of the others.
        plan.actors.map((actor) => new Workload({ ...options, random: this.#fork() }).run(actor)),
      );
      const failed = working.then(() => new Promise<never>(() => undefined));
      const ended = new AbortController();
      const limitMs = plan.actors.includes('updates') ? UPDATE_LIMIT_MS : ROUND_LIMIT_MS;
      const late = sleep(limitMs, 'late', { signal: ended.signal }).catch(() => 'late');
      const came = await Promise.race([cut.promise, late, failed]);
      ended.abort();
      off = true;
      const loss = await this.#machine.cut(fate);
      await within(working, SETTLE_TIMEOUT_MS, 'the pending requests to fail');
      const asked = `${seen.begun} begun, ${seen.confirmed} confirmed`;
      const lost = `${loss.strategy}: ${loss.kept} kept and ${loss.torn} torn of ${loss.writes} unflushed writes`;
      return { done: `${came === 'late' ? 'late; ' : ''}${asked}; ${lost}`, torn: loss.torn > 0 };
    } finally {
      off = true;
      await serial.close();
      await socket.close();
    }
  }
}
