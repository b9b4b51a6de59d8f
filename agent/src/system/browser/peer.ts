/** The browser as a peer (browser/PROTOCOL.md): what it may do, and how a connection begins. */

import { type PeerLimits, ProtocolViolation } from '../../base/json-line-peer.ts';
import type { Records } from '../../base/limited-log.ts';
import type { Valid } from '../../validation/validator.ts';
import { Greeting, Hello, PROTOCOL } from './messages.ts';

const MIB = 1024 * 1024;
const MAX_COMMAND_BYTES = 8 * MIB;

export const LIMITS: PeerLimits = {
  connections: 8,
  // A part, or an event with two texts of a page, all of it escaped.
  lineBytes: MIB,
  greetingMs: 30_000,
  greetings: { perSecond: 5, atOnce: 20 },
  // Events. A page that loads itself all the time sends less.
  messages: { perSecond: 300, atOnce: 600 },
  bytes: { perSecond: 32 * MIB, atOnce: 64 * MIB },
  commandBytes: MAX_COMMAND_BYTES,
  unreadBytes: 4 * MAX_COMMAND_BYTES,
  calls: 512,
};

export type HelloMessage = Valid<typeof Hello>;

/**
 * Reads the first message of a connection.
 * @returns a function that returns undefined for a browser of another version of the protocol, and throws
 *   ProtocolViolation for anything else
 */
export function helloReader(log: Records): (first: object) => HelloMessage | undefined {
  /** The wrong version that was logged: a browser that is refused connects again at once. */
  let loggedProtocol: number | undefined;
  return (first) => {
    if (Hello.fits(first)) {
      loggedProtocol = undefined;
      return first;
    }
    if (!Greeting.fits(first)) throw new ProtocolViolation('the first message is no hello');
    if (first.protocol !== loggedProtocol) {
      loggedProtocol = first.protocol;
      log.error(
        { protocol: first.protocol, expected: PROTOCOL },
        'the browser speaks another version of the protocol; agent and browser must come from the same image',
      );
    }
    return undefined;
  };
}
