import { chmod, chown, mkdir, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';

/** A process that serves a socket accepts a connection within this time, in ms. */
const PROBE_MS = 1000;

export interface UnixSocketOptions {
  path: string;
  /** Permission bits. */
  mode: number;
  /** Group of the socket, if this process is root and the system has the group; its own group by default. */
  group?: string;
}

/**
 * Listens on a unix socket, and replaces one that a killed agent left.
 * @throws Error when another agent serves it: its peers could not connect to it any more
 */
export async function listenOnUnixSocket(
  { path, mode, group }: UnixSocketOptions,
  accept: (socket: Socket) => void,
): Promise<Server> {
  await mkdir(dirname(path), { recursive: true });
  if (await isServed(path)) throw new Error(`another agent serves ${path}`);
  await rm(path, { force: true });
  const server = createServer(accept);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  const id = group === undefined ? undefined : await groupId(group);
  if (id !== undefined && process.getuid?.() === 0) await chown(path, 0, id);
  await chmod(path, mode);
  return server;
}

/** The number of a group; undefined when this system does not have it. */
async function groupId(name: string): Promise<number | undefined> {
  const text = await readFile('/etc/group', 'utf8').catch(() => '');
  const fields = text
    .split('\n')
    .map((line) => line.split(':'))
    .find(([group]) => group === name);
  const id = Number(fields?.[2]);
  return Number.isInteger(id) ? id : undefined;
}

/** Whether a process accepts connections there. */
async function isServed(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path);
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  socket.setTimeout(PROBE_MS, () => resolve(false));
  const served = await promise;
  socket.destroy();
  return served;
}
