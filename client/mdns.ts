/** Asks the networks of this computer for devices, by DNS-SD over mDNS (RFC 6762, RFC 6763). For Node. */
import { BlockList } from 'node:net';
import { networkInterfaces } from 'node:os';
import mdns, { type MulticastDNS, type ResponsePacket } from 'multicast-dns';
import { OWN_NETWORK } from './addresses.ts';

const SERVICE = '_vitrine._tcp.local';
/** Again, in case the first one is lost, in ms. */
const REPEAT_MS = 400;
const MAX_FOUND = 32;
/** The devices answer within some 120 ms (RFC 6762, 6). */
const WAIT_MS = 1000;
const DEVICES = new BlockList();
DEVICES.addSubnet(...OWN_NETWORK);

/**
 * The addresses that answer, each a device at the end of a cable. Answers of other networks do not count: a device gives
 * none there.
 */
export async function announcedAddresses(signal?: AbortSignal): Promise<string[]> {
  const found = new Set<string>();
  // From a port of their own, so that answers come here only, and no program that uses 5353 is in the way.
  const sockets = ownAddresses().map((address) => mdns({ interface: address, bind: false }));
  const ask = (): void => {
    for (const socket of sockets) socket.query([{ name: SERVICE, type: 'PTR' }]);
  };
  for (const socket of sockets) collect(socket, found);
  const timer = setInterval(ask, REPEAT_MS);
  try {
    ask();
    await new Promise<void>((resolve) => {
      setTimeout(resolve, WAIT_MS);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  }
  return [...found];
}

function collect(socket: MulticastDNS, found: Set<string>): void {
  // An interface that cannot send: no device is found there.
  socket.on('error', () => undefined);
  socket.on('response', ({ answers }: ResponsePacket, peer: { address: string }) => {
    if (answers?.some(({ name, type }) => type === 'PTR' && name.toLowerCase() === SERVICE)) {
      if (found.size < MAX_FOUND && DEVICES.check(peer.address)) found.add(peer.address);
    }
  });
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
}
