import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { LineSplitter } from '../../agent/src/base/line-splitter.ts';
import { BASE_PATH } from '../../agent/src/contract/api.ts';
import { openTty } from '../../client/tty.ts';
import { waitFor, within } from '../../testing/wait.ts';
import { ROOT } from '../lib/places.ts';
import { type Figure, interleaved, median, startAgent, startNode, stop } from './measure.ts';

const WARM_UP = 500;
const ROUND_TRIPS = 3000;
const ROUNDS = 4;
const ANSWER_TIMEOUT_MS = 5000;
const LONGEST_LINE = 1024 * 1024;

/** A pair of pseudo terminals that are each other's end, made by socat. */
async function ptyPair(
  folder: string,
  name: string,
): Promise<{ child: ChildProcess; ends: [string, string] }> {
  const ends: [string, string] = [join(folder, `${name}-device`), join(folder, `${name}-host`)];
  const child = spawn(
    'socat',
    ends.map((path) => `pty,raw,echo=0,link=${path}`),
    { stdio: 'ignore' },
  );
  for (const path of ends) {
    await waitFor(() => access(path).then(() => true), { timeoutMs: 5000, what: path });
  }
  return { child, ends };
}

/** Sends lines one at a time and gives the median time to the answer, in µs. */
async function roundTrips(path: string, line: (n: number) => string, isAnswer: (text: string) => boolean) {
  const port = await openTty(path);
  let answered: () => void = () => undefined;
  const lines = new LineSplitter(LONGEST_LINE);
  port.on('data', (chunk: Buffer) => {
    lines.forEach(chunk, (line) => {
      if (isAnswer(line.toString())) answered();
    });
  });
  const times: number[] = [];
  for (let n = 0; n < WARM_UP + ROUND_TRIPS; n++) {
    const { promise, resolve } = Promise.withResolvers<void>();
    answered = resolve;
    const begun = performance.now();
    port.write(line(n));
    await within(promise, ANSWER_TIMEOUT_MS, 'the answer to a line');
    if (n >= WARM_UP) times.push((performance.now() - begun) * 1000);
  }
  await new Promise((resolve) => port.close(resolve));
  return median(times);
}

/** One request and its answer over a serial line, against a program that echoes lines on the same kind of line. */
export async function serialRoundTrip(agent: string, folder: string): Promise<Figure[]> {
  const request = (id: number) =>
    `${JSON.stringify({ id, type: 'request', method: 'GET', path: `${BASE_PATH}/device` })}\n`;
  const isResponse = (text: string) => text.includes('"type":"response"');
  const isEcho = (text: string) => text.includes('"type":"request"');
  const pairs = [await ptyPair(folder, 'ours'), await ptyPair(folder, 'bare')];
  const [ourPair, barePair] = pairs;
  if (!ourPair || !barePair) throw new Error('unreachable');
  const ours = await startAgent(agent, join(folder, 'data'), ['--serial', ourPair.ends[0]]);
  const bare = await startNode([join(ROOT, 'ci/bench/bare-echo.ts'), barePair.ends[0]]);
  try {
    const times = await interleaved(
      ROUNDS,
      () => roundTrips(ourPair.ends[1], request, isResponse),
      () => roundTrips(barePair.ends[1], request, isEcho),
    );
    return [
      {
        name: 'serial round trip (GET /device)',
        ours: times.ours,
        unit: 'µs',
        peer: { name: 'bare NDJSON echo', values: times.peer },
        aim: { of: 'ratio', atMost: 2 },
      },
    ];
  } finally {
    await stop(ours);
    await stop(bare);
    for (const { child } of pairs) {
      child.kill();
      await once(child, 'exit');
    }
  }
}
