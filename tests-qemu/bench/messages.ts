import { createServer } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';
import { type Figure, interleaved, median } from '../../ci/bench/measure.ts';
import { HOST_ADDRESS } from '../../ci/qemu/arguments.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from '../harness/device.ts';
import type { PageServer } from '../harness/pages.ts';

const ROUNDS = 5;
const ROUND_TRIPS = 400;
const FLOOD = 1000;
const WAIT_MS = 120_000;
const TEXT = 'x'.repeat(100);

/** Gives messages back, or sends many when it is asked to, on the page channel and on a WebSocket of its own. */
const page = (peer: string): string => `<!doctype html><title>messages</title>
<script src="vitrine://client/display-client.js"></script><script>
  const answer = (value, send) => {
    for (let n = 0; n < (value.flood ?? 1); n += 1) send({ n, text: value.text });
  };
  vitrine.onmessage = (value) => answer(value, (each) => vitrine.send(each));
  const socket = new WebSocket('${peer}');
  socket.onmessage = ({ data }) => answer(JSON.parse(data), (each) => socket.send(JSON.stringify(each)));
</script>`;

/** One way to the page and back. */
interface Way {
  send(value: unknown): void;
  /** Calls it with every message of the page. */
  received: () => void;
}

/** Sends a value and resolves, with the time in ms, when the page has sent that many messages. */
async function exchange(way: Way, value: unknown, count: number): Promise<number> {
  const done = Promise.withResolvers<void>();
  let left = count;
  way.received = () => {
    left -= 1;
    if (left === 0) done.resolve();
  };
  const begun = performance.now();
  way.send(value);
  await done.promise;
  return performance.now() - begun;
}

async function roundTrip(way: Way): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < ROUND_TRIPS; n += 1) times.push(await exchange(way, { text: TEXT }, 1));
  return median(times);
}

async function rate(way: Way): Promise<number> {
  return (1000 * FLOOD) / (await exchange(way, { flood: FLOOD, text: TEXT }, FLOOD));
}

/** Messages between a host and the page: on the page channel, and on a WebSocket from the same page to the same host. */
export async function messageFigures(device: Device, pages: PageServer): Promise<Figure[]> {
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const host = new WebSocket(`${device.api.replace('http', 'ws')}/events`);
  try {
    const ours: Way = {
      send: (payload) => host.send(JSON.stringify({ type: 'page_message', payload })),
      received: () => undefined,
    };
    host.on('message', (data) => {
      const message: unknown = JSON.parse(String(data));
      if (field(message, 'topic') === 'page_message') ours.received();
    });
    await new Promise((resolve) => host.once('open', resolve));
    host.send(JSON.stringify({ type: 'subscribe', topics: ['page_message'] }));
    const connected = new Promise<WebSocket>((resolve) => server.once('connection', resolve));
    await device.act('POST', '/display/navigate', { url: pages.add(page(`ws://${HOST_ADDRESS}:${port}`)) });
    const socket = await connected;
    const peer: Way = { send: (value) => socket.send(JSON.stringify(value)), received: () => undefined };
    socket.on('message', (data) => {
      JSON.parse(String(data));
      peer.received();
    });
    await waitFor(async () => field(await device.get('/page/status'), 'open') === true, {
      timeoutMs: WAIT_MS,
      what: 'the page channel to be open',
    });
    const name = 'WebSocket of the page';
    const trips = await interleaved(
      ROUNDS,
      () => roundTrip(ours),
      () => roundTrip(peer),
    );
    const rates = await interleaved(
      ROUNDS,
      () => rate(ours),
      () => rate(peer),
    );
    return [
      {
        name: 'message to the page and back',
        ours: trips.ours,
        unit: 'ms',
        peer: { name, values: trips.peer },
        aim: { of: 'ratio', atMost: 2 },
      },
      {
        name: 'messages from the page',
        ours: rates.ours,
        unit: '/s',
        peer: { name, values: rates.peer },
        aim: { of: 'ratio', atLeast: 0.2 },
      },
    ];
  } finally {
    host.terminate();
    for (const client of server.clients) client.terminate();
    server.close();
    http.close();
  }
}
