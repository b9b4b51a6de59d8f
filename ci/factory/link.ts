/** The serial link to a unit on the line: a tty of this computer, or the unix socket of a virtual machine. */
import { openSerial, type SerialChannel } from '../../client/serial.ts';
import { TimeoutError, waitFor } from '../../testing/wait.ts';
import { Problem } from '../lib/problem.ts';

const HELLO_MS = 2000;
const FIRST_ANSWER_MS = 10_000;

/**
 * Opens the link and waits until the unit answers a request. The unit may be plugged in or booted meanwhile.
 * @param path a tty or a unix socket
 * @throws Problem when it does not answer in time, or another program uses the tty
 */
export async function openUnit(path: string, timeoutMs: number): Promise<SerialChannel> {
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

async function openOnce(path: string): Promise<SerialChannel> {
  const link = await openSerial(path);
  try {
    // Opening starts a new session of the link, which drops what was sent before its hello. A line without DTR sends none.
    await link.frame('hello', undefined, HELLO_MS).catch(() => undefined);
    const { status } = await link.request('GET', '/device', { timeoutMs: FIRST_ANSWER_MS });
    if (status !== 200) throw new Error(`GET /device answers ${status}`);
    return link;
  } catch (error) {
    await link.close();
    throw error;
  }
}
