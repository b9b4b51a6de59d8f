import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, type Question } from 'dns-packet';
import type { Logger } from '../../base/logger.ts';
import { errorMessage } from '../../base/system-error.ts';
import type { SharedName } from '../../resources/discovery/ports.ts';

const MDNS_PORT = 5353;
const GROUP = '224.0.0.251';
/** The longest message of mDNS on Ethernet (RFC 6762, 17). */
const MAX_MESSAGE = 1500;
const HEADER_BYTES = 12;
const MAX_QUESTIONS = 32;
/** In s (RFC 6762, 10). */
const TTL = 120;
/** Of a reply to somebody who does not take part in mDNS, in s (RFC 6762, 6.7). */
const LEGACY_TTL = 10;

/**
 * Answers mDNS queries for a name at one address (RFC 6762), besides systemd-resolved, which knows only the host name.
 * Other devices have the name, too, so nothing is claimed by it (cache-flush bit, probing): where two are at one host,
 * either is found.
 *
 * The kernel also delivers what came from other networks. The firewall lets only answers in from those, which are ignored
 * before they are parsed; and answers of this device go to the interface of its address only.
 */
export class MdnsSharedName implements SharedName {
  readonly #name: string;
  readonly #log: Logger;
  #socket: Socket | undefined;
  #address: string | undefined;

  /** @param name without `.local` */
  constructor({ name, log }: { name: string; log: Logger }) {
    this.#name = `${name}.local`;
    this.#log = log;
  }

  answerWith(address: string | undefined): void {
    if (address === this.#address) return;
    this.#address = address;
    this.#socket?.close();
    this.#socket = address === undefined ? undefined : this.#open(address);
  }

  #open(address: string): Socket {
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    const failed = (error: unknown): void => {
      this.#log.warn({ reason: errorMessage(error), name: this.#name }, 'the name is not answered');
    };
    socket.on('error', failed);
    socket.on('message', (message, peer) => this.#answer(socket, message, peer, address));
    // Bound to the group: answers that are sent to this device's own address are for systemd-resolved.
    socket.bind({ address: GROUP, port: MDNS_PORT }, () => {
      try {
        socket.addMembership(GROUP, address);
        socket.setMulticastInterface(address);
        socket.setMulticastTTL(255);
        socket.setMulticastLoopback(false);
      } catch (error) {
        failed(error); // the address has gone again
      }
    });
    return socket;
  }

  #answer(socket: Socket, message: Buffer, peer: RemoteInfo, address: string): void {
    const query = questionsOf(message);
    const answers = answersTo(query?.questions ?? [], this.#name, address);
    if (!query || answers.length === 0) return;
    const reply = { type: 'response', flags: AUTHORITATIVE_ANSWER } as const;
    if (peer.port === MDNS_PORT) {
      socket.send(encode({ ...reply, answers }), MDNS_PORT, GROUP, () => undefined);
      return;
    }
    const short = answers.map((answer) => ({ ...answer, ttl: LEGACY_TTL }));
    const direct = encode({ ...reply, ...query, answers: short });
    socket.send(direct, peer.port, peer.address, () => undefined);
  }
}

/** The questions of a query; undefined for anything else. */
export function questionsOf(message: Buffer): { id: number; questions: Question[] } | undefined {
  if (message.length < HEADER_BYTES || message.length > MAX_MESSAGE) return undefined;
  const isResponse = (message.readUInt8(2) & 0x80) !== 0;
  if (isResponse || message.readUInt16BE(4) > MAX_QUESTIONS) return undefined;
  // Only the questions: what follows them is what the peer knows already.
  const head = Buffer.from(message);
  head.fill(0, 6, HEADER_BYTES);
  try {
    const { id = 0, questions = [] } = decode(head);
    return { id, questions };
  } catch {
    return undefined;
  }
}

/** What there is, for an address; and that there is nothing else, for everything else, so that nobody waits for it. */
export function answersTo(questions: readonly Question[], name: string, address: string): Answer[] {
  const asked = questions
    .filter((question) => question.name.toLowerCase() === name)
    .map(({ type }) => String(type));
  if (asked.length === 0) return [];
  if (asked.some((type) => type === 'A' || type === 'ANY'))
    return [{ type: 'A', name, ttl: TTL, data: address }];
  return [{ type: 'NSEC', name, ttl: TTL, data: { nextDomain: name, rrtypes: ['A'] } }];
}
