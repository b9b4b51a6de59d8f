import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ORIGIN_HEADERS } from '../../agent/src/resources/content/serving/answer.ts';
import { waitFor } from '../../testing/wait.ts';
import { ROOT } from '../lib/places.ts';
import { freePort } from '../qemu/ports.ts';
import { type Figure, interleaved, runNode, startNode, stop } from './measure.ts';
import { type BenchEntry, writeBundle } from './test-bundle.ts';

const ROUNDS = 5;
const SECONDS = 2;
const ASSETS = 200;
const ASSET_CONNECTIONS = 6;
const FILM = '/film.mp4';
const FILM_BYTES = 210_000_000;
const RANGE = [5_000_000, 204_999_999] as const;
const READY_MS = 10_000;

/** 1 to 30 KB, text as most of an app is, every fourth an image. */
function assets(): BenchEntry[] {
  return Array.from({ length: ASSETS }, (_, index) => ({
    name: `assets/${index}.${index % 4 === 0 ? 'webp' : 'js'}`,
    bytes: 1000 + Math.round((29_000 * index) / (ASSETS - 1)),
    kind: index % 4 === 0 ? 'media' : 'text',
  }));
}

/** wrk's side: asks for the paths in turn, and says in one JSON line what came of it. */
function loadScript(paths: readonly string[]): string {
  return `local paths = { ${paths.map((path) => JSON.stringify(path)).join(', ')} }
local requests, turn = {}, 0
function init() for i, path in ipairs(paths) do requests[i] = wrk.format('GET', path) end end
function request() turn = turn % #requests + 1; return requests[turn] end
function done(summary)
  local errors = summary.errors
  io.write(string.format('{"requests":%d,"us":%d,"errors":%d}\\n', summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end`;
}

/** Requests a second that a port answers, asked by wrk: one thread, a request in flight on each connection. */
async function requestRate(port: number, script: string): Promise<number> {
  const args = ['-t1', `-c${ASSET_CONNECTIONS}`, `-d${SECONDS}s`, '-H', `Host: menu.localhost:${port}`];
  const child = spawn('wrk', [...args, '-s', script, `http://127.0.0.1:${port}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: (SECONDS + 20) * 1000,
  });
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  const result: { requests: number; us: number; errors: number } = JSON.parse(
    output.trim().split('\n').at(-1) ?? '',
  );
  if (result.errors > 0) throw new Error(`the answers were not right: ${output}`);
  return result.requests / (result.us / 1e6);
}

/** MB/s of the long range on one connection. wrk reads 8 KB at a time and would be what is measured. */
async function rangeSpeed(port: number): Promise<number> {
  const script = join(ROOT, 'ci/bench/range.ts');
  const range = RANGE.join('-');
  const { output } = await runNode([
    script,
    String(port),
    `menu.localhost:${port}`,
    FILM,
    range,
    String(SECONDS),
  ]);
  const result: { megabytesPerSecond: number } = JSON.parse(output);
  return result.megabytesPerSecond;
}

/** nginx as it is tuned for files: one process, sendfile, no log; with the headers that our origin sends. */
async function startNginx(folder: string, tree: string): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort(0);
  const headers: string[] = [];
  for (let i = 0; i < ORIGIN_HEADERS.length; i += 2) {
    headers.push(`add_header ${ORIGIN_HEADERS[i]} "${ORIGIN_HEADERS[i + 1]}";`);
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/nginx-${kind};`,
  );
  const configuration = `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit;
events { worker_connections 256; }
http {
  include /etc/nginx/mime.types;
  access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_requests 1000000000;
  ${temporary.join(' ')}
  server { listen 127.0.0.1:${port}; root ${tree}; ${headers.join(' ')} }
}`;
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration);
  const child = spawn('nginx', ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  await waitFor(
    () =>
      fetch(`http://127.0.0.1:${port}/index.html`).then(
        ({ ok }) => ok,
        () => false,
      ),
    {
      timeoutMs: READY_MS,
      what: 'nginx to answer',
    },
  );
  return { child, port };
}

/**
 * Assets and a long range out of an archive, against nginx on the tree that it unpacks to. What limits the rest:
 *
 * - Assets: about 40 000 answers in a second of processor time, nginx 63 000, node:http with the same headers and a
 *   body from memory 50 000. Three quarters of ours is the kernel's send; most of what is left is node:http.
 * - The range: each byte is copied into memory and out again where sendfile copies none, 0.55 s of processor time a
 *   GB against 0.27 s. Reading and sending are two threads, so it is slower than nginx only where no processor is free.
 */
export async function serving(_agent: string, folder: string): Promise<Figure[]> {
  const tree = join(folder, 'tree');
  const archive = join(folder, 'serving.zip');
  const small = assets();
  const index: BenchEntry = { name: 'index.html', bytes: 2000, kind: 'text' };
  const film: BenchEntry = { name: FILM.slice(1), bytes: FILM_BYTES, kind: 'media' };
  await writeBundle(archive, [index, ...small, film], tree);
  const assetScript = join(folder, 'assets.lua');
  await writeFile(assetScript, loadScript(small.map(({ name }) => `/${name}`)));

  const nginx = await startNginx(folder, tree);
  const ours = await startNode([join(ROOT, 'ci/bench/bundle-server.ts'), archive]);
  try {
    const { port }: { port: number } = JSON.parse(ours.line);
    for (const at of [port, nginx.port]) await check(at, tree, small);
    for (const at of [port, nginx.port]) {
      // Warms both up.
      await requestRate(at, assetScript);
      await rangeSpeed(at);
    }
    const rate = (at: number) => () => requestRate(at, assetScript);
    const rates = await interleaved(ROUNDS, rate(port), rate(nginx.port));
    const speed = (at: number) => () => rangeSpeed(at);
    const speeds = await interleaved(ROUNDS, speed(port), speed(nginx.port));
    return [
      {
        name: `${ASSETS} assets of 1 to 30 KB from a zip`,
        ours: rates.ours,
        unit: 'requests/s',
        peer: { name: 'nginx on the tree', values: rates.peer },
        aim: { of: 'ratio', atLeast: 0.6 },
      },
      {
        name: 'range of 200 MB from a zip',
        ours: speeds.ours,
        unit: 'MB/s',
        peer: { name: 'nginx with sendfile', values: speeds.peer },
        aim: { of: 'ratio', atLeast: 0.8 },
      },
    ];
  } finally {
    await stop(ours);
    nginx.child.kill('SIGKILL');
  }
}

/** That a port gives the bytes of the tree: what is compared is the same work. */
async function check(port: number, tree: string, entries: readonly BenchEntry[]): Promise<void> {
  for (const { name } of entries) {
    const answer = await get(port, `/${name}`);
    if (!answer.equals(await readFile(join(tree, name)))) throw new Error(`${name} came out wrong`);
  }
}

function get(port: number, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Not fetch: it sets Host itself, and asks for gzip.
    const asked = request({ host: '127.0.0.1', port, path, headers: { host: `menu.localhost:${port}` } });
    asked.once('response', (answer) => resolve(buffer(answer)));
    asked.once('error', reject);
    asked.end();
  });
}
