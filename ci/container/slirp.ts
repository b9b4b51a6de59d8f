import { once } from 'node:events';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { within } from '../../testing/wait.ts';
import { connectUnix } from '../lib/unix-socket.ts';

const TIMEOUT_MS = 30_000;
const MAX_ANSWER = 64 * 1024;

/** The device's address in slirp4netns's network, the first one that its DHCP server assigns. */
const DEVICE_ADDRESS = '10.0.2.15';

const Failure = Type.Object({ error: Type.Object({ desc: Type.String() }) });

/**
 * Forwards a TCP port of this computer's loopback to the device, with slirp4netns.
 * @param socket slirp4netns's API socket, which may not exist yet
 * @throws Error with slirp4netns's reason, such as a port in use
 */
export async function forwardPort(socket: string, port: number, devicePort: number): Promise<void> {
  const peer = await connectUnix(socket, TIMEOUT_MS);
  try {
    let answer = '';
    peer.on('data', (chunk) => {
      answer = (answer + chunk.toString()).slice(0, MAX_ANSWER);
    });
    const forward = { proto: 'tcp', host_addr: '127.0.0.1', host_port: port };
    const guest = { guest_addr: DEVICE_ADDRESS, guest_port: devicePort };
    peer.end(JSON.stringify({ execute: 'add_hostfwd', arguments: { ...forward, ...guest } }));
    await within(once(peer, 'close'), TIMEOUT_MS, `slirp4netns to forward port ${port}`);
    const said: unknown = JSON.parse(answer);
    if (Value.Check(Failure, said)) throw new Error(`slirp4netns: ${said.error.desc}`);
  } finally {
    peer.destroy();
  }
}
