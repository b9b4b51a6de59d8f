import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { shellQuote } from '../../ci/qemu/shell.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from './device.ts';
import type { PageServer } from './pages.ts';

/** The network namespace and the user in which a program in the guest runs. */
export interface GuestContext {
  netns?: string;
  user?: string;
}

/** A request that is made inside the guest. */
export interface GuestRequest {
  method: string;
  url: string;
  json?: unknown;
}

const Answers = Type.Array(
  Type.Object({
    /** Why there was no response: the name of an errno, or `timeout`. */
    failure: Type.Optional(Type.String()),
    status: Type.Optional(Type.Integer()),
    type: Type.Optional(Type.String()),
    base64: Type.Optional(Type.String()),
  }),
);

export interface GuestAnswer {
  failure: string | undefined;
  status: number;
  type: string;
  bytes: Buffer;
}

/** Time limit for a request, the same as on the other links. */
const REQUEST_MS = 120_000;
/** Time limit for the guest's Node to start, on a busy computer. */
const START_MS = 60_000;
/** Time limit for all requests. Less than that of a test, because the shell is needed to save evidence. */
const MAX_TOTAL_MS = 420_000;

/** Runs in the guest's Node: sends the requests one after the other and prints the responses as one line of JSON. */
const CLIENT = `
const http = require('node:http');
const one = ({ method, url, json }, ms) => new Promise((resolve) => {
  const body = json === undefined ? undefined : JSON.stringify(json);
  const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const call = http.request(url, { method, headers, agent: false, timeout: ms }, (response) => {
    const chunks = [];
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('end', () => resolve({
      status: response.statusCode, type: response.headers['content-type'] ?? '',
      base64: Buffer.concat(chunks).toString('base64') }));
    response.on('error', (error) => resolve({ failure: error.code ?? error.message }));
  });
  call.on('timeout', () => { resolve({ failure: 'timeout' }); call.destroy(); });
  call.on('error', (error) => resolve({ failure: error.code ?? error.message }));
  call.end(body);
});
(async () => {
  const [requests, ms] = JSON.parse(process.argv[1]);
  const answers = [];
  for (const request of requests) answers.push(await one(request, ms));
  process.stdout.write(JSON.stringify(answers) + '\\n');
})();`;

function commandPrefix({ netns, user }: GuestContext): string {
  const parts = [];
  if (netns) parts.push(`ip netns exec ${shellQuote(netns)}`);
  // Not runuser: only the user id of the packets matters, a login session is not wanted.
  if (user) parts.push(`setpriv --reuid=${shellQuote(user)} --regid=${shellQuote(user)} --clear-groups`);
  return parts.join(' ');
}

/**
 * Sends HTTP requests from inside the guest.
 * @param timeoutMs time limit of each request; dropped packets result in `timeout`
 */
export async function guestHttp(
  device: Device,
  who: GuestContext,
  requests: GuestRequest[],
  timeoutMs = REQUEST_MS,
): Promise<GuestAnswer[]> {
  const argument = shellQuote(JSON.stringify([requests, timeoutMs]));
  const output = await device.shell.ok(
    `${commandPrefix(who)} /usr/bin/node -e ${shellQuote(CLIENT)} ${argument}`,
    Math.min(START_MS + requests.length * timeoutMs, MAX_TOTAL_MS),
  );
  const answers: unknown = JSON.parse(output.slice(output.lastIndexOf('\n') + 1));
  if (!Value.Check(Answers, answers)) throw new Error(`the guest's client said ${output.slice(0, 500)}`);
  return answers.map(({ failure, status = 0, type = '', base64 = '' }) => ({
    failure,
    status,
    type,
    bytes: Buffer.from(base64, 'base64'),
  }));
}

/** The ids of the guest's processes with this name (the kernel keeps 15 characters). */
export async function processes(device: Device, name: string): Promise<number[]> {
  const output = await device.shell.ok(
    `grep -lx ${shellQuote(name.slice(0, 15))} /proc/[0-9]*/comm 2>/dev/null | cut -d/ -f3`,
  );
  return output.split('\n').filter(Boolean).map(Number);
}

/**
 * Kills every process of that name with SIGKILL; throws when none was killed. It may happen that one has just ended by
 * itself: WebKit ends a page's process some time after the next page was loaded.
 */
export async function killProcesses(device: Device, name: string): Promise<void> {
  const pids = await processes(device, name);
  const { code } = await device.shell.run(
    `killed=1; for pid in ${pids.join(' ')}; do kill -9 $pid && killed=0; done; exit $killed`,
  );
  if (code !== 0) throw new Error(`no process named ${name} is running in the guest`);
}

/** Kills the process of the displayed page; gives the time until the page is requested again, in ms. */
export async function killPage(
  device: Device,
  pages: PageServer,
  url: string,
  timeoutMs: number,
): Promise<number> {
  const loads = pages.loads(url);
  const start = performance.now();
  await killProcesses(device, 'WPEWebProcess');
  const isAgain = () => pages.loads(url) > loads;
  await waitFor(isAgain, { timeoutMs, what: 'the page to be loaded again', intervalMs: 5 });
  return performance.now() - start;
}

/** The browser's process id and its number of restarts. */
export async function browserProcess(device: Device): Promise<unknown[]> {
  const health = await device.get('/device/health');
  return [field(health, 'browser.pid'), field(health, 'browser.restarts')];
}
