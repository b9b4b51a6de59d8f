/**
 * Runs on the device, for the benchmark of NFC: `node nfc-bench.mjs WHO WHAT COUNT BUS`. WHO is `ours`, a client of the API, or
 * `peer`, the reader library alone on the bus. WHAT is `tags` (when each of COUNT tags is known with its message, on the monotonic
 * clock) or `apdus` (how long each of COUNT exchanges with the lab's card takes). Prints "ready", and at the end one line of JSON,
 * in ms.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openI2c, openPn532, readNdef } from '../../agent/src/nfc-reader/pn532/reader.ts';
import { field } from '../../testing/field.ts';

const API = '127.0.0.1/api/v1';
const ADDRESS = 0x24;
/** As short as the configuration allows. */
const POLL_MS = 50;
const SELECT = Buffer.from('00a4040007f0010203040506', 'hex');
const ECHO = Buffer.from('80100000080102030405060708', 'hex');

const [who = '', what = '', count = '', bus = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

const now = (): number => Number(process.hrtime.bigint()) / 1e6;

async function post(path: string, json: object): Promise<unknown> {
  const body = JSON.stringify(json);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const sent = request(`http://${API}${path}`, { method: 'POST', agent, headers, timeout: 60_000 });
  sent.on('error', reject).on('timeout', () => sent.destroy(new Error(`${path}: no answer`)));
  sent.on('response', (response) => {
    let text = '';
    response.on('data', (chunk) => {
      text += chunk;
    });
    response.on('end', () => {
      if (response.statusCode === 200) resolve(JSON.parse(text));
      else reject(new Error(`${path}: ${response.statusCode} ${text}`));
    });
  });
  sent.end(body);
  return await promise;
}

/** Calls `seen` for each tag that the API reports. */
function subscribe(seen: (payload: unknown) => void): void {
  const socket = new WebSocket(`ws://${API}/events`);
  socket.onopen = () => socket.send(JSON.stringify({ type: 'subscribe', topics: ['nfc_tag'] }));
  socket.onmessage = ({ data }) => {
    const message: unknown = JSON.parse(String(data));
    if (field(message, 'topic') === 'nfc_tag') seen(field(message, 'payload'));
    else if (field(message, 'type') === 'subscribed') console.log('ready');
  };
}

async function ourTags(): Promise<number[]> {
  const times: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  subscribe((payload) => {
    if (field(payload, 'ndef') === undefined) return;
    times.push(now());
    if (times.length === Number(count)) resolve();
  });
  await promise;
  return times;
}

async function peerTags(): Promise<number[]> {
  const reader = await openPn532(openI2c(Number(bus), ADDRESS));
  const times: number[] = [];
  const known = new Set<object>();
  console.log('ready');
  while (times.length < Number(count)) {
    for (const tag of await reader.poll()) {
      if (known.has(tag)) continue;
      known.add(tag);
      if ((await readNdef(tag)).message) times.push(now());
    }
    await sleep(POLL_MS);
  }
  return times;
}

/** Times exchanges one after the other. @param exchange the first one selects the card's application */
async function timed(exchange: (apdu: Buffer) => Promise<void>): Promise<number[]> {
  await exchange(SELECT);
  const times: number[] = [];
  for (let n = 0; n < Number(count); n += 1) {
    const begun = now();
    await exchange(ECHO);
    times.push(now() - begun);
  }
  return times;
}

async function ourApdus(): Promise<number[]> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  subscribe(resolve);
  const seen = await promise;
  const reader_id = field(seen, 'reader_id');
  let tag_handle = field(seen, 'tag_handle');
  return await timed(async (apdu) => {
    const body = await post('/nfc/transceive', { reader_id, tag_handle, apdu: apdu.toString('base64') });
    tag_handle = field(body, 'tag_handle');
  });
}

async function peerApdus(): Promise<number[]> {
  const reader = await openPn532(openI2c(Number(bus), ADDRESS));
  console.log('ready');
  for (;;) {
    const [card] = await reader.poll();
    if (card) return await timed(async (apdu) => void (await card.apdu(apdu)));
    await sleep(POLL_MS);
  }
}

const measure = { ours: { tags: ourTags, apdus: ourApdus }, peer: { tags: peerTags, apdus: peerApdus } };
const chosen = Object.entries(measure).find(([name]) => name === who)?.[1];
const work = Object.entries(chosen ?? {}).find(([name]) => name === what)?.[1];
if (!work) throw new Error(`${who} ${what} is not measured`);
console.log(JSON.stringify(await work()));
process.exit(0);
