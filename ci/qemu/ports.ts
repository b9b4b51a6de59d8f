import { createServer } from 'node:net';
import { Problem } from '../lib/problem.ts';

/** The port of the device's API on this computer's loopback, unless `--port` says another. */
export const DEFAULT_PORT = 8080;
/** The port that HTTPS is on, if it is free. */
const HTTPS_PORT = 8443;

/** Whether a server could listen on 127.0.0.1:`port` now; the port that it got (for 0, one that is free). */
async function listenOnce(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    return await new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
        const address = server.address();
        resolve(typeof address === 'object' && address ? address.port : undefined);
      });
    });
  } catch {
    return undefined;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A free port for HTTPS: the one that people know, unless `apiPort` or somebody else has it. */
export async function freeHttpsPort(apiPort: number): Promise<number> {
  const known = apiPort === HTTPS_PORT ? undefined : await listenOnce(HTTPS_PORT);
  return known ?? (await freePort(0));
}

/** Reads a port number as it stands on the command line; 0 asks for any free one. */
export function portOf(text: string | undefined): number {
  const port = text === undefined ? DEFAULT_PORT : Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || text === '') {
    throw new Problem(`"${text}" is not a port; give a number from 1 to 65535, or 0 for any free one.`);
  }
  return port;
}

/** The ports that were asked for with 0: the machines that they are for may not listen yet. */
const given = new Set<number>();
const MOST_DRAWS = 100;

/**
 * The port itself, or a free one for 0, which is none that an earlier call of this process gave: the kernel draws it, and
 * draws the same one again now and then. A port in use is a {@link Problem} that says how to choose another.
 */
export async function freePort(port: number): Promise<number> {
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const found = await listenOnce(port);
    if (found === undefined) break;
    if (port !== 0) return found;
    if (given.has(found)) continue;
    given.add(found);
    return found;
  }
  if (port > 0 && port < 1024 && process.getuid?.() !== 0) {
    throw new Problem(
      `port ${port} may only be opened by root; choose one above 1023: npm start -- --port 8080`,
    );
  }
  throw new Problem(
    `port ${port} on 127.0.0.1 is in use. Choose another with "npm start -- --port N" (0 takes any free one), or end what uses it ("npm stop" if it is a Vitrine machine).`,
  );
}
