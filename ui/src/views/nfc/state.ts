/** NFC readers and the tags at them, as the device has them. */
import { type Client, RequestError } from '../../../../client/client.ts';
import type { Payloads, ResponseOf } from '../../../../client/contract.ts';
import { connection } from '../../app/device-state.ts';
import { Resource } from '../../app/resource.ts';

export type Reader = ResponseOf<'GET', '/nfc/readers'>[number];
export type Tag = Reader['tags'][number];

export type NfcState =
  | { readonly kind: 'disabled' }
  | { readonly kind: 'enabled'; readonly readers: readonly Reader[] };

/** A tag at a reader, whatever its present handle is. */
export interface Place {
  readonly reader: string;
  readonly uid: string;
}

export const nfc = new Resource<NfcState>(connection, {
  load,
  refreshOn: [
    'nfc_tag',
    'nfc_tag_removed',
    'nfc_reader_connected',
    'nfc_reader_disconnected',
    'config_changed',
  ],
});

async function load(client: Client): Promise<NfcState> {
  try {
    return { kind: 'enabled', readers: await client.get('/nfc/readers') };
  } catch (error) {
    if (error instanceof RequestError && error.code === 'nfc_disabled') return { kind: 'disabled' };
    throw error;
  }
}

/** The readers; none while NFC is off. */
export function readersNow(): readonly Reader[] {
  const state = nfc.value.value;
  return state?.kind === 'enabled' ? state.readers : [];
}

/** The tag at a place; undefined if it has left. */
export function tagAt({ reader, uid }: Place): Tag | undefined {
  return readersNow()
    .find(({ id }) => id === reader)
    ?.tags.find((tag) => tag.uid === uid);
}

/** A tag that has come. */
export interface Seen {
  /** Counts the tags since the app was opened. */
  readonly id: number;
  /** In ms since 1970, by the clock of this browser. */
  readonly at: number;
  readonly reader: string;
  readonly uid: string;
  /** Its message in base64; undefined for none. */
  readonly ndef: string | undefined;
}

/** How many tags are remembered. */
export const MOST_SEEN = 20;

/** The history with a tag that has come at the time `at`, the newest first. */
export function withSeen(history: readonly Seen[], tag: Payloads['nfc_tag'], at: number): readonly Seen[] {
  const id = (history[0]?.id ?? 0) + 1;
  return [{ id, at, reader: tag.reader_id, uid: tag.uid, ndef: tag.ndef }, ...history].slice(0, MOST_SEEN);
}
