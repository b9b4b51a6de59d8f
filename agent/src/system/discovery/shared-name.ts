import type { Answer, Question } from 'dns-packet';
import type { MulticastDNS, QueryPacket } from 'multicast-dns';
import mdns from 'multicast-dns';
import type { Logger } from '../../base/logger.ts';
import type { SharedName } from '../../resources/discovery/ports.ts';

const MDNS_PORT = 5353;
const GROUP = '224.0.0.251';
/** In s (RFC 6762, 10). */
const TTL = 120;
/** Of a reply to somebody who does not take part in mDNS, in s (RFC 6762, 6.7). */
const LEGACY_TTL = 10;

/**
 * Answers mDNS queries for a name on one interface (RFC 6762), besides systemd-resolved, which knows only the host name.
 * Other devices have the
 * name, too, so nothing is claimed by it (cache-flush bit, probing): where two are at one host, either is found.
 */
export class MdnsSharedName implements SharedName {
  readonly #name: string;
  readonly #log: Logger;
  #responder: MulticastDNS | undefined;
  #address: string | undefined;

  /** @param name without `.local` */
  constructor({ name, log }: { name: string; log: Logger }) {
    this.#name = `${name}.local`;
    this.#log = log;
  }

  answerWith(address: string | undefined): void {
    if (address === this.#address) return;
    this.#address = address;
    this.#responder?.destroy();
    this.#responder = address === undefined ? undefined : this.#open(address);
  }

  #open(address: string): MulticastDNS {
    // Bound to the group: answers that are sent to this device's own address are for systemd-resolved.
    const responder = mdns({ interface: address, bind: GROUP, loopback: false });
    responder.on('error', (err: unknown) =>
      this.#log.warn({ err, name: this.#name }, 'the name is not answered'),
    );
    responder.on('query', (query: QueryPacket, peer: { address: string; port: number }) => {
      const answers = answersTo(query.questions ?? [], this.#name, address);
      if (answers.length === 0) return;
      if (peer.port === MDNS_PORT) {
        responder.respond({ answers });
        return;
      }
      const short = answers.map((answer) => ({ ...answer, ttl: LEGACY_TTL }));
      responder.respond({ id: query.id, questions: query.questions, answers: short }, peer);
    });
    return responder;
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
