import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { shellQuote } from '../../ci/qemu/shell.ts';
import type { Device } from './device.ts';

/** Whose hands a program in the guest runs in: the network of a namespace, a user. */
export interface Who {
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
    /** What the connection came to, when no response came: an errno's name, or `timeout`. */
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

/** What a request may take: as much as on the other links. */
const REQUEST_MS = 120_000;
/** Until the guest's Node has started, on a busy computer. */
const START_MS = 60_000;
/** What all of them may take: less than a test, after which the shell is needed to tell what was wrong. */
const LONGEST_MS = 420_000;

/** Runs in the guest's own Node: the requests one after the other, the answers as one line of JSON. */
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

function as({ netns, user }: Who): string {
  const parts = [];
  if (netns) parts.push(`ip netns exec ${shellQuote(netns)}`);
  // Not runuser: no login session is wanted, only the user's id on the packets.
  if (user) parts.push(`setpriv --reuid=${shellQuote(user)} --regid=${shellQuote(user)} --clear-groups`);
  return parts.join(' ');
}

/**
 * HTTP requests made inside the guest.
 * @param timeoutMs of each one; a packet that is dropped shows as `timeout`
 */
export async function guestHttp(
  device: Device,
  who: Who,
  requests: GuestRequest[],
  timeoutMs = REQUEST_MS,
): Promise<GuestAnswer[]> {
  const argument = shellQuote(JSON.stringify([requests, timeoutMs]));
  const output = await device.shell.ok(
    `${as(who)} /usr/bin/node -e ${shellQuote(CLIENT)} ${argument}`,
    Math.min(START_MS + requests.length * timeoutMs, LONGEST_MS),
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

/** The ids of the guest's processes whose name (15 characters of it) is `name`. */
export async function processes(device: Device, name: string): Promise<number[]> {
  const output = await device.shell.ok(
    `grep -lx ${shellQuote(name.slice(0, 15))} /proc/[0-9]*/comm 2>/dev/null | cut -d/ -f3`,
  );
  return output.split('\n').filter(Boolean).map(Number);
}

/**
 * `kill -9` of every process of that name; throws when none was killed. One that ended by itself just then (WebKit lets
 * go of a page's process some time after the next page came) does no harm.
 */
export async function killHard(device: Device, name: string): Promise<void> {
  const pids = await processes(device, name);
  const { code } = await device.shell.run(
    `killed=1; for pid in ${pids.join(' ')}; do kill -9 $pid && killed=0; done; exit $killed`,
  );
  if (code !== 0) throw new Error(`no process named ${name} runs in the guest`);
}
