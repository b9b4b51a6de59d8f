import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { shellQuote } from '../../ci/qemu/shell.ts';
import type { Device } from '../harness/device.ts';

/** What the program on the device measures. */
export type Work =
  | { what: 'scripts'; rounds: number; url: string }
  | { what: 'screenshots'; rounds: number; runtime: string; wayland: string }
  | { what: 'touches'; from: number };

const Times = Type.Object({
  ours: Type.Array(Type.Number()),
  peer: Type.Optional(Type.Array(Type.Number())),
});

const PROGRAM = '/run/bench.mjs';
const OUTPUT = '/run/bench.out';
const MAX_MS = 400_000;

/**
 * Runs guest.mjs on the device.
 * @param meanwhile what it measures comes from here; `isReady` says whether the program has printed "ready"
 * @returns one value of each round, or of each event, in ms
 */
export async function measureOn(
  { shell }: Device,
  work: Work,
  meanwhile?: (isReady: () => Promise<boolean>) => Promise<void>,
): Promise<{ ours: number[]; peer: number[] }> {
  const program = await readFile(new URL('./guest.mjs', import.meta.url), 'utf8');
  await shell.ok(`printf %s ${shellQuote(program)} >${PROGRAM}`);
  const command = `node ${PROGRAM} ${shellQuote(JSON.stringify(work))}`;
  let output: string;
  if (meanwhile) {
    await shell.ok(`(${command}; echo ended) >${OUTPUT} 2>&1 &`);
    await meanwhile(async () => (await shell.run(`grep -q ready ${OUTPUT}`)).code === 0);
    output = await shell.ok(`until grep -q ended ${OUTPUT}; do sleep 0.1; done; grep -v ended ${OUTPUT}`);
  } else {
    output = await shell.ok(command, MAX_MS);
  }
  const times: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  if (!Value.Check(Times, times))
    throw new Error(`the program on the device printed ${output.slice(0, 500)}`);
  return { ours: times.ours, peer: times.peer ?? [] };
}
