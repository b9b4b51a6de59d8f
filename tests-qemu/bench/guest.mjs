/**
 * Runs on the device, for the benchmark of the screen, with {@link Work} of ./guest.ts as its argument: times requests to
 * the agent and to a peer in turn, or the way of touches. Prints one line of JSON, in ms.
 */
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';

const API = 'http://127.0.0.1/api/v1';
const DRIVER = 'http://127.0.0.1:4444';
const SCRIPT = 'return [document.title, 40 + 2]';
const CALLS = 300;

const wanted = JSON.parse(process.argv[2] ?? '{}');
const agent = new Agent({ keepAlive: true });

/** Sends a request and gives the body. */
async function call(method, url, json) {
  const body = json === undefined ? undefined : JSON.stringify(json);
  const headers = body
    ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    : {};
  const response = await new Promise((resolve, reject) => {
    const asked = request(url, { method, agent, headers, timeout: 60_000 }, resolve);
    asked.on('error', reject).on('timeout', () => asked.destroy(new Error(`${url}: no answer`)));
    asked.end(body);
  });
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (response.statusCode !== 200)
    throw new Error(`${url}: ${response.statusCode} ${bytes.subarray(0, 500)}`);
  return bytes;
}

/** Runs a program to its end and gives the number of bytes that it printed. */
async function run(command, args, env) {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let bytes = 0;
  for await (const chunk of child.stdout) bytes += chunk.length;
  const code = await ended;
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
  return bytes;
}

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** The medians of each round; who is first changes. */
async function compare(calls, ours, peer) {
  await ours();
  await peer();
  const found = { ours: [], peer: [] };
  for (let round = 0; round < wanted.rounds; round++) {
    for (const name of round % 2 === 0 ? ['ours', 'peer'] : ['peer', 'ours']) {
      const times = [];
      for (let n = 0; n < calls; n++) times.push(await timed(name === 'ours' ? ours : peer));
      found[name].push(median(times));
    }
  }
  return found;
}

async function scripts() {
  const browserOptions = { binary: '/usr/bin/cog', args: ['--automation', '--platform=headless'] };
  const session = JSON.parse(
    await call('POST', `${DRIVER}/session`, {
      capabilities: { alwaysMatch: { 'wpe:browserOptions': browserOptions } },
    }),
  ).value.sessionId;
  const driven = `${DRIVER}/session/${session}`;
  await call('POST', `${driven}/url`, { url: wanted.url });
  try {
    return await compare(
      CALLS,
      () => call('POST', `${API}/display/execute-js`, { script: SCRIPT }),
      () => call('POST', `${driven}/execute/sync`, { script: SCRIPT, args: [] }),
    );
  } finally {
    await call('DELETE', driven);
  }
}

async function screenshots() {
  const env = { XDG_RUNTIME_DIR: wanted.runtime, WAYLAND_DISPLAY: wanted.wayland };
  const user = ['--reuid=kiosk', '--regid=kiosk', '--clear-groups'];
  return await compare(
    5,
    () => call('GET', `${API}/display/screenshot`),
    () => run('setpriv', [...user, 'grim', '-'], env),
  );
}

/** From the kernel's time of each touch, of which the event has whole milliseconds, until the client has the event. */
async function touches() {
  const found = [];
  const socket = new WebSocket(`${API.replace('http', 'ws')}/events`);
  const all = Promise.withResolvers();
  socket.onopen = () => socket.send(JSON.stringify({ type: 'subscribe', topics: ['input_raw'] }));
  socket.onerror = () => all.reject(new Error('the socket of the events failed'));
  socket.onmessage = ({ data }) => {
    const received = Date.now();
    const { type, payload } = JSON.parse(data);
    if (type !== 'event') return;
    if (payload.x > wanted.from) found.push(received - Date.parse(payload.ts));
    // The touches before show that the agent reads the touch screen.
    else console.error('ready');
    if (payload.x > wanted.from && !payload.pressed) all.resolve();
  };
  await all.promise;
  socket.close();
  return { ours: found };
}

const measure = { scripts, screenshots, touches }[wanted.what];
console.log(JSON.stringify(await measure()));
process.exit(0);
