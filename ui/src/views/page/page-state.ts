/** What the view "Page" knows: the configuration, the channel of the page, and what has arrived. */
import type { ResponseOf } from '../../../../client/contract.ts';
import { connection } from '../../app/device-state.ts';
import { Resource } from '../../app/resource.ts';
import { Stream } from '../../parts/stream/stream.ts';

export type Config = ResponseOf<'GET', '/config'>;

export const config = new Resource<Config>(connection, {
  load: (client) => client.get('/config'),
  follow: (set) => connection.on('config_changed', (event) => set(event.config)),
});

/** Whether the page listens to messages. */
export const channel = new Resource(connection, {
  load: (client) => client.get('/page/status'),
  follow: (set) => connection.on('page_channel', set),
});

/** Longest message that is kept whole, in characters. */
const LONGEST_MESSAGE = 64 * 2 ** 10;

/** What the console of the page says. It stays for the next visit, as the messages do. */
export const pageConsole = new Stream();

/** Messages between the page and its hosts; the source is one of {@link SENDERS}. */
export const messages = new Stream({ longest: LONGEST_MESSAGE });

/** Who has sent a message: the page, or this app. */
export const SENDERS = ['page', 'host'] as const;
export type Sender = (typeof SENDERS)[number];

/** Lists a message. */
export function addMessage(source: Sender, at: number, value: unknown): void {
  messages.add({ at, source, text: JSON.stringify(value ?? null) });
}
