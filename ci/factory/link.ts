/** The serial link to a unit on the line: a tty of this computer, or the unix socket of a virtual machine. */
import { stat } from 'node:fs/promises';
import { SerialPort } from 'serialport';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { TimeoutError, waitFor, within } from '../../testing/wait.ts';
import { SerialClient } from '../client/ndjson.ts';
import { Problem } from '../lib/problem.ts';
import { connectUnix } from '../lib/unix-socket.ts';

const HELLO_MS = 2000;
const FIRST_ANSWER_MS = 10_000;
const CLOSE_MS = 5000;

export interface UnitLink {
  client: SerialClient;
  close(): Promise<void>;
}

/**
 * Opens the link and waits until the unit answers a request. The unit may be plugged in or booted meanwhile.
 * @param path a tty or a unix socket
 * @throws Problem when it does not answer in time, or another program uses the tty
 */
export async function openUnit(path: string, timeoutMs: number): Promise<UnitLink> {
  try {
    return await waitFor(() => openOnce(path), {
      timeoutMs,
      what: `a unit on ${path} to answer`,
      intervalMs: 500,
    });
  } catch (error) {
    throw error instanceof TimeoutError ? new Problem(error.message) : error;
  }
}

async function openOnce(path: string): Promise<UnitLink> {
  const link = (await stat(path)).isSocket() ? await openSocket(path) : await openTty(path);
  try {
    // Opening starts a new session of the link, which drops what was sent before its hello. A line without DTR sends none.
    await link.client.frame('hello', 0, HELLO_MS).catch(() => undefined);
    const id = link.client.send('GET', '/api/v1/device');
    const { status } = await link.client.response(id, FIRST_ANSWER_MS);
    if (status !== 200) throw new Error(`GET /device answers ${status}`);
    return link;
  } catch (error) {
    await link.close();
    throw error;
  }
}

async function openSocket(path: string): Promise<UnitLink> {
  const client = new SerialClient(await connectUnix(path, 1000));
  return { client, close: async () => client.close() };
}

/** Opens a tty in raw mode, for this process only. */
async function openTty(path: string): Promise<UnitLink> {
  // The line's speed has no effect on USB.
  const port = new SerialPort({ path, baudRate: 115_200, autoOpen: false });
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>();
  port.open((error) => (error ? reject(error) : resolve()));
  await within(opened, CLOSE_MS, `${path} to open`).catch((error: unknown) => {
    throw new Error(`${path} cannot be opened: ${errorMessage(error)}`);
  });
  const client = new SerialClient(port);
  const close = async (): Promise<void> => {
    if (!port.isOpen) return;
    const { promise: closed, resolve: done } = Promise.withResolvers<void>();
    port.close(() => done());
    await within(closed, CLOSE_MS, `${path} to close`).catch(() => undefined);
  };
  return { client, close };
}
