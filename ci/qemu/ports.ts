import { createServer } from 'node:net';
import { Problem } from '../lib/problem.ts';

/** Default port of the device's API on 127.0.0.1. */
export const DEFAULT_PORT = 8080;
/** Preferred port for HTTPS. */
const HTTPS_PORT = 8443;

/** Tries to listen on 127.0.0.1:`port` (0: any free port). Returns the port, or undefined when it is in use. */
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

/** Parses a port number of the command line; 0 means any free port. */
export function portOf(text: string | undefined): number {
  const port = text === undefined ? DEFAULT_PORT : Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || text === '') {
    throw new Problem(`"${text}" is not a port; give a number from 1 to 65535, or 0 for any free one.`);
  }
  return port;
}

/** The ports that were allocated for 0: the machines that they are for may not listen yet. */
const allocated = new Set<number>();
const MAX_ATTEMPTS = 100;

/**
 * Checks that a port is free; for 0 allocates a free port that no earlier call of this process has returned, because the
 * kernel chooses at random and may repeat itself. Throws a {@link Problem} that says how to choose another port.
 */
export async function freePort(port: number): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const found = await listenOnce(port);
    if (found === undefined) break;
    if (port !== 0) return found;
    if (allocated.has(found)) continue;
    allocated.add(found);
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

/**
 * A free port for HTTPS: the preferred one, unless it is `apiPort` or in use. If the API may have any port, so may HTTPS:
 * others that start at the same time would choose the preferred one, too.
 */
export async function freeHttpsPort(apiPort: number): Promise<number> {
  const known = apiPort === HTTPS_PORT || allocated.has(apiPort) ? undefined : await listenOnce(HTTPS_PORT);
  return known ?? (await freePort(0));
}
