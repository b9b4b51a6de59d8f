import { join } from 'node:path';
import { BASE_PATH } from '../../agent/src/contract/api.ts';
import { ROOT } from '../lib/places.ts';
import {
  type Figure,
  interleaved,
  median,
  residentMegabytes,
  runNode,
  startAgent,
  startNode,
  stop,
} from './measure.ts';

/** Fresh processes of both sides: what V8 decides in its first seconds holds for as long as a process lives. */
const STARTS = 5;
/** Of each of them: many and short. */
const ROUNDS = 6;
const SECONDS = 1;
const CONNECTIONS = 8;
const MANY_REQUESTS = 100_000;
const PATH = `${BASE_PATH}/device`;

async function load(port: number, amount: string): Promise<number> {
  const { output } = await runNode([
    join(ROOT, 'ci/bench/load.ts'),
    String(port),
    PATH,
    amount,
    String(CONNECTIONS),
  ]);
  const result: unknown = JSON.parse(output);
  if (typeof result !== 'object' || !result || !('perSecond' in result)) throw new Error(`load: ${output}`);
  return Number(result.perSecond);
}

/** What one fresh agent and one fresh peer come to. */
interface Run {
  rates: { ours: number[]; peer: number[] };
  /** In MB. */
  atRest: number;
  afterMany: { ours: number; peer: number };
}

async function run(agent: string, folder: string): Promise<Run> {
  const ours = await startAgent(agent, join(folder, 'data'));
  const answer = await fetch(`http://127.0.0.1:${ours.port}${PATH}`);
  const body = await answer.text();
  const headers = Object.fromEntries(
    [...answer.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name)),
  );
  const bare = await startNode([join(ROOT, 'ci/bench/bare-http.mjs'), JSON.stringify({ headers, body })]);
  try {
    const { port: barePort }: { port: number } = JSON.parse(bare.line);
    const atRest = await residentMegabytes(ours.child.pid ?? 0);
    for (const port of [ours.port, barePort]) await load(port, `x${MANY_REQUESTS}`);
    const afterMany = {
      ours: await residentMegabytes(ours.child.pid ?? 0),
      peer: await residentMegabytes(bare.child.pid ?? 0),
    };
    const rate = (port: number) => () => load(port, String(SECONDS));
    return { rates: await interleaved(ROUNDS, rate(ours.port), rate(barePort)), atRest, afterMany };
  } finally {
    await stop(ours);
    await stop(bare);
  }
}

/**
 * GET /device a second against node:http giving the same bytes. Before that, with the requests that warm both up: memory
 * at rest and after 100 000 requests, which both have had then, and no more.
 */
export async function throughputAndMemory(agent: string, folder: string): Promise<Figure[]> {
  const runs: Run[] = [];
  for (let start = 0; start < STARTS; start++) runs.push(await run(agent, folder));
  const perStart = runs.map(({ rates, afterMany }) => {
    const ratio = median(rates.ours.map((rate, round) => rate / (rates.peer[round] ?? Number.NaN)));
    return `${ratio.toFixed(2)} with ${afterMany.ours.toFixed(0)} MB`;
  });
  console.log(`GET /device by start of the agent: ${perStart.join(', ')}`);
  return [
    {
      name: 'GET /device',
      ours: runs.flatMap(({ rates }) => rates.ours),
      unit: 'requests/s',
      peer: { name: 'node:http, same bytes', values: runs.flatMap(({ rates }) => rates.peer) },
      aim: { of: 'ratio', atLeast: 0.8 },
    },
    {
      name: 'memory at rest',
      ours: runs.map(({ atRest }) => atRest),
      unit: 'MB',
      aim: { of: 'value', atMost: 70 },
    },
    {
      name: 'memory after 100 000 requests',
      ours: runs.map(({ afterMany }) => afterMany.ours),
      unit: 'MB',
      peer: { name: 'node:http', values: runs.map(({ afterMany }) => afterMany.peer) },
      aim: { of: 'value', atMost: 100 },
    },
  ];
}
