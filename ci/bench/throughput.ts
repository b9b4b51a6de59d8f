import { join } from 'node:path';
import { BASE_PATH } from '../../agent/src/contract/api.ts';
import { ROOT } from '../lib/places.ts';
import { type Figure, median, residentMegabytes, runNode, startAgent, startNode, stop } from './measure.ts';

/** Many and short: whatever else the computer does then meets both sides alike. */
const ROUNDS = 15;
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

/**
 * GET /device a second against node:http giving the same bytes. Before that, with the requests that warm both up: memory
 * at rest and after 100 000 requests, which both have had then, and no more.
 */
export async function throughputAndMemory(agent: string, folder: string): Promise<Figure[]> {
  const ours = await startAgent(agent, join(folder, 'data'));
  const answer = await fetch(`http://127.0.0.1:${ours.port}${PATH}`);
  const body = await answer.text();
  const headers = Object.fromEntries(
    [...answer.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name)),
  );
  const bare = await startNode([join(ROOT, 'ci/bench/bare-http.mjs'), JSON.stringify({ headers, body })]);
  try {
    const address: unknown = JSON.parse(bare.line);
    const barePort = typeof address === 'object' && address && 'port' in address ? Number(address.port) : 0;
    const idle = await residentMegabytes(ours.child.pid ?? 0);
    for (const port of [ours.port, barePort]) await load(port, `x${MANY_REQUESTS}`);
    const after = await residentMegabytes(ours.child.pid ?? 0);
    const bareAfter = await residentMegabytes(bare.child.pid ?? 0);
    const rates: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      rates[0].push(await load(ours.port, String(SECONDS)));
      rates[1].push(await load(barePort, String(SECONDS)));
    }
    return [
      {
        name: 'GET /device',
        ours: median(rates[0]),
        unit: 'requests/s',
        peer: { name: 'node:http, same bytes', value: median(rates[1]) },
        aim: { of: 'ratio', atLeast: 0.75 },
      },
      { name: 'memory at rest', ours: idle, unit: 'MB', aim: { of: 'value', atMost: 100 } },
      {
        name: 'memory after 100 000 requests',
        ours: after,
        unit: 'MB',
        peer: { name: 'node:http', value: bareAfter },
        aim: { of: 'value', atMost: 100 },
      },
    ];
  } finally {
    await stop(ours);
    await stop(bare);
  }
}
