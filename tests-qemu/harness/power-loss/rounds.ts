import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../../../ci/lib/wait.ts';
import { SerialClient } from '../ndjson.ts';
import { EventSocket } from '../socket.ts';
import type { CutMachine } from './cut-machine.ts';
import { inspect } from './inspection.ts';
import { Ledger } from './ledger.ts';
import { describePlan, drawPlan, type Moment, type Plan } from './plan.ts';
import { Random } from './random.ts';
import { SECTOR } from './volatile-disk.ts';
import { Workload } from './workload.ts';

/** A round whose moment or command does not come is cut then. */
const ROUND_LIMIT_MS = 20_000;
const SETTLE_TIMEOUT_MS = 30_000;
/** Where /data begins on the disk, in sectors. */
const DATA_START = 'cat /sys/class/block/$(basename $(findmnt -no SOURCE /data))/start';
/** e2fsck's words for a superblock that does not fit its checksum. */
const TORN_SUPERBLOCK = 'Superblock invalid, trying backup blocks';
/** Of an ext4 file system, in bytes. */
const SUPERBLOCK_OFFSET = 1024;
const CHECKSUM_SIZE = 4;

/** What one round was, in words. */
export interface Round {
  bootSeconds: number;
  dataState: string;
  /** What e2fsck said, when /data needed more than its journal. */
  repair: string[];
  said: string;
  /** What is wrong after the cut before; empty when all is well. */
  problems: string[];
}

/** Rounds of boot, inspection, work and power cut on one machine; each goes on with what the one before left. */
export class CutRounds {
  readonly #machine: CutMachine;
  readonly #random: Random;
  readonly #ledger = new Ledger();

  constructor(machine: CutMachine, random: Random) {
    this.#machine = machine;
    this.#random = random;
  }

  /** The first boot: what a device from the factory has. */
  async begin(): Promise<void> {
    await this.#machine.boot();
    const { values, problems } = await inspect(this.#machine, false);
    if (problems.length > 0) throw new Error(`before any cut: ${problems.join('; ')}`);
    this.#ledger.compare(values);
  }

  /** Works, cuts the power, boots again and looks. */
  async round(): Promise<Round> {
    const plan = drawPlan(this.#random);
    const { done, torn } = await this.#workAndCut(plan);
    const bootSeconds = await this.#machine.boot();
    const { values, problems, dataState, repair } = await inspect(this.#machine, torn);
    return {
      bootSeconds,
      dataState,
      repair,
      said: `${describePlan(plan)}; ${done}`,
      problems: [...problems, ...this.#ledger.compare(values)],
    };
  }

  /**
   * Cuts the power at rest and leaves the superblock of /data torn between its two sectors, as a cut in its write does,
   * which is rare; boots again and looks.
   * @returns what is wrong then, with the damage not noticed among it; empty when all is well
   */
  async tornSuperblock(): Promise<string[]> {
    const { shell, disk } = this.#machine;
    const start = Number(await shell.ok(DATA_START)) * SECTOR;
    await this.#machine.cut(this.#fork());
    const secondHalf = start + SUPERBLOCK_OFFSET + SECTOR;
    // It ends with the checksum, which is not of the first half that is there.
    disk.write(secondHalf, disk.read(secondHalf, SECTOR).fill(0, SECTOR - CHECKSUM_SIZE));
    disk.flush();
    await this.#machine.boot();
    const { values, problems, dataState, repair } = await inspect(this.#machine, true);
    if (!repair.some((line) => line.includes(TORN_SUPERBLOCK)))
      problems.push(`the torn superblock was not noticed: /data is ${dataState}`, ...repair);
    return [...problems, ...this.#ledger.compare(values)];
  }

  #fork(): Random {
    return new Random(this.#random.integer(0, 2 ** 32 - 1));
  }

  /** @returns what was done, in words, and whether the cut left a write in part */
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
    const socket = await EventSocket.open(`${this.#machine.api.replace('http', 'ws')}/events`);
    const serial = await SerialClient.connect(this.#machine.paths.serial);
    try {
      await socket.subscribe('operation');
      const options = {
        api: this.#machine.api,
        ledger: this.#ledger,
        socket,
        serial,
        on,
        stopped: () => off || (armed && plan.quiet),
        off: () => off,
      };
      const working = Promise.all(
        // A sequence for each, so that the pace of one does not change what another one does.
        plan.actors.map((actor) => new Workload({ ...options, random: this.#fork() }).run(actor)),
      );
      const failed = working.then(() => new Promise<never>(() => undefined));
      const ended = new AbortController();
      const late = sleep(ROUND_LIMIT_MS, 'late', { signal: ended.signal }).catch(() => 'late');
      const came = await Promise.race([cut.promise, late, failed]);
      ended.abort();
      off = true;
      const loss = await this.#machine.cut(fate);
      await within(working, SETTLE_TIMEOUT_MS, 'the requests under way to fail');
      const asked = `${seen.begun} begun, ${seen.confirmed} confirmed`;
      const lost = `${loss.strategy}: ${loss.kept} kept and ${loss.torn} torn of ${loss.writes} unflushed writes`;
      return { done: `${came === 'late' ? 'late; ' : ''}${asked}; ${lost}`, torn: loss.torn > 0 };
    } finally {
      off = true;
      serial.close();
      await socket.close();
    }
  }
}
