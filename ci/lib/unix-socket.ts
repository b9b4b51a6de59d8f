import { connect, type Socket } from 'node:net';
import { waitFor } from '../../testing/wait.ts';

/** Connects to a unix socket whose server may still be starting. */
export async function connectUnix(path: string, timeoutMs = 5000): Promise<Socket> {
  return await waitFor(
    () =>
      new Promise<Socket>((resolve, reject) => {
        const socket = connect(path);
        socket.once('connect', () => {
          socket.removeAllListeners('error');
          resolve(socket);
        });
        socket.once('error', reject);
      }),
    { timeoutMs, what: `a server on ${path}`, intervalMs: 50 },
  );
}
