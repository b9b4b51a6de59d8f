/**
 * `npm run soak -- --hours N`: shows animated pages with a looping video on a device in QEMU, goes to another page every
 * minute, and records the memory of every process. Prints how each changed, and fails if one grew or the video stopped.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../agent/src/base/system-error.ts';
import { readArguments } from '../ci/lib/arguments.ts';
import { EVIDENCE } from '../ci/lib/places.ts';
import { command, Problem } from '../ci/lib/problem.ts';
import { ensureImage } from '../ci/qemu/image.ts';
import { setupHost } from '../ci/setup.ts';
import { colourAt, near } from '../testing/png.ts';
import { waitFor } from '../testing/wait.ts';
import { putBundle } from './harness/bundles.ts';
import type { Device } from './harness/device.ts';
import { growthOf, memoryByName, type Sample } from './harness/growth.ts';
import { animatedBundle, animatedPage, SECONDS, TOLERANCE } from './harness/media.ts';
import { PageServer } from './harness/pages.ts';
import { QemuDevice } from './harness/qemu-device.ts';

const STAY_MS = 60_000;
const PLAYS_MS = 180_000;
const VIDEO = `const { currentTime, paused, readyState, error } = document.querySelector('video');
const { totalVideoFrames, droppedVideoFrames } = document.querySelector('video').getVideoPlaybackQuality();
({ currentTime, paused, readyState, error: error?.message, totalVideoFrames, droppedVideoFrames })`;
/** One line per process: name, id, resident memory. Kernel threads have none. */
const MEMORY = `awk -F '\\t' '/^Name:/{n=$2} /^Pid:/{p=$2} /^VmRSS:/{print n "\\t" p "\\t" $2}' /proc/[0-9]*/status 2>/dev/null
awk '{sub(":", "")} $1 == "MemAvailable" || $1 == "Shmem" {print "(" $1 ")\\t0\\t" $2}' /proc/meminfo`;

/** Waits until the screen has shown all seconds of the clip. */
async function waitForMovement(device: Device): Promise<void> {
  const seen = new Set<number>();
  await waitFor(
    async () => {
      const colour = colourAt(await device.screen(), 0.25, 0.4);
      seen.add(SECONDS.findIndex((second) => near(second, colour, TOLERANCE)));
      seen.delete(-1);
      return seen.size === SECONDS.length;
    },
    { timeoutMs: PLAYS_MS, what: 'all seconds of the video on the screen', intervalMs: 300 },
  );
}

class Soak {
  readonly #device: Device;
  readonly #startMs = performance.now();
  readonly samples = new Map<string, Sample[]>();
  readonly counts = new Map<string, number>();
  readonly problems: string[] = [];

  constructor(device: Device) {
    this.#device = device;
  }

  get seconds(): number {
    return (performance.now() - this.#startMs) / 1000;
  }

  async run(untilSeconds: number, pages: readonly (() => Promise<unknown>)[]): Promise<void> {
    for (let visit = 0; this.seconds < untilSeconds; visit++) {
      const leaveAt = this.seconds + STAY_MS / 1000;
      await pages[visit % pages.length]?.();
      await waitForMovement(this.#device);
      await waitFor(() => this.seconds >= Math.min(leaveAt, untilSeconds), {
        timeoutMs: 2 * STAY_MS,
        what: 'the minute of the page',
        intervalMs: 1000,
      });
      // Again, at the end of the minute: a video may stop when it loops.
      await waitForMovement(this.#device).catch(async (error: unknown) => {
        const state = JSON.stringify(await this.#device.runScript(VIDEO));
        this.problems.push(
          `after ${Math.round(this.seconds)} s: ${errorMessage(error)}; the video: ${state}`,
        );
      });
      await this.#measure();
    }
  }

  async #measure(): Promise<void> {
    const memory = memoryByName(await this.#device.shell.ok(MEMORY));
    for (const [name, { megabytes, count }] of memory) {
      const samples = this.samples.get(name) ?? [];
      samples.push({ at: this.seconds, megabytes });
      this.samples.set(name, samples);
      this.counts.set(name, count);
    }
  }

  /** Prints the table; returns the names of the processes that grew. */
  print(): string[] {
    const grown: string[] = [];
    console.log(`${'process'.padEnd(18)} number   start MB     end MB     MB/h`);
    for (const [name, samples] of [...this.samples].sort(([a], [b]) => a.localeCompare(b))) {
      const growth = growthOf(samples);
      if (!growth) continue;
      const figures = [growth.start, growth.end, growth.slope].map((value) => value.toFixed(1).padStart(10));
      const grew = growth.grew && name !== '(MemAvailable)';
      if (grew) grown.push(name);
      console.log(
        `${name.padEnd(18)} ${String(this.counts.get(name)).padStart(6)} ${figures.join(' ')}${grew ? '  GREW' : ''}`,
      );
    }
    return grown;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const { values } = readArguments('npm run soak', {
      hours: { type: 'string', value: 'N', help: 'how long, in hours; fractions are allowed (1)' },
    } as const);
    const hours = Number(values.hours ?? 1);
    if (!(hours > 0 && hours <= 1000)) throw new Problem(`"${values.hours}" is not a number of hours.`);
    await setupHost('test');
    const pages = await PageServer.start();
    const device = await QemuDevice.boot(await ensureImage());
    try {
      await device.waitUp();
      await putBundle(device, 'soak', await animatedBundle());
      const url = pages.add(await animatedPage());
      const soak = new Soak(device);
      await soak.run(hours * 3600, [
        () => device.act('POST', '/display/bundle', { name: 'soak' }),
        () => device.act('POST', '/display/navigate', { url }),
      ]);
      const grown = soak.print();
      const file = join(EVIDENCE, 'soak.json');
      await mkdir(EVIDENCE, { recursive: true });
      await writeFile(file, JSON.stringify(Object.fromEntries(soak.samples)));
      for (const problem of soak.problems) console.log(problem);
      console.log(`${(soak.seconds / 3600).toFixed(2)} h; the samples are in ${file}`);
      if (grown.length > 0) console.log(`grew: ${grown.join(', ')}`);
      return grown.length + soak.problems.length > 0 ? 1 : 0;
    } finally {
      await device.discard();
      await pages.close();
    }
  });
}
