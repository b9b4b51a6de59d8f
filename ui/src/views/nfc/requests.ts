/** What can be done with NFC. Each ends when the device's state shows the result, or with the tag's answer. */
import { RequestError } from '../../../../client/client.ts';
import { until } from '../../app/actions.ts';
import { connection } from '../../app/device-state.ts';
import { ActionError, failureOf } from '../../app/failure.ts';
import { type TextKey, t } from '../../app/texts.ts';
import { base64Of, bytesOfBase64 } from './bytes.ts';
import { nfc, type Place, tagAt } from './state.ts';

/** The reader program starts or ends. */
const SWITCH_MS = 20_000;
/** The device waits 30 s for a reader. */
const READER_MS = 40_000;
const RESULT_MS = 10_000;

const { client } = connection;

export async function enable(enabled: boolean): Promise<void> {
  await client.patch('/config', { json: { nfc: { enabled } } });
  await nfc.refresh();
  await until(() => nfc.value.value?.kind === (enabled ? 'enabled' : 'disabled'), SWITCH_MS);
}

/** Replaces the message of a tag, which the device reads back. */
export async function write(place: Place, message: Uint8Array): Promise<void> {
  const wanted = base64Of(message);
  const { tag_handle } = await withTag(place, (request) =>
    client.post('/nfc/ndef/write', { json: { ...request, message: wanted }, timeoutMs: READER_MS }),
  );
  // One that has left since then was read back before.
  const isWritten = () => {
    const tag = tagAt(place);
    return tag === undefined || tag.tag_handle !== tag_handle || tag.ndef === wanted;
  };
  await until(isWritten, RESULT_MS);
}

/** What a card has answered to a command. */
export interface CardAnswer {
  readonly data: Uint8Array;
  /** Status word of ISO 7816: four hexadecimal digits, `9000` for success. */
  readonly status: string;
}

/** Sends a command to a card. */
export async function transceive(place: Place, command: Uint8Array): Promise<CardAnswer> {
  const apdu = base64Of(command);
  const { response, sw } = await withTag(place, (request) =>
    client.post('/nfc/transceive', { json: { ...request, apdu }, timeoutMs: READER_MS }),
  );
  return { data: bytesOfBase64(response), status: sw };
}

/** Lets a reader be heard. @param reader its id */
export async function beep(reader: string): Promise<void> {
  await client.post('/nfc/reader/feedback', { json: beepSample(reader), timeoutMs: READER_MS });
}

export function beepSample(reader: string) {
  return { reader_id: reader, buzzer_ms: 200 };
}

/** Does a request with the present handle of a tag. It has another one afterwards, whatever happens. */
async function withTag<T>(
  place: Place,
  request: (tag: { reader_id: string; tag_handle: string }) => Promise<T>,
): Promise<T> {
  const tag = tagAt(place);
  if (!tag) throw new ActionError(t('nfc.tag_gone'));
  try {
    return await request({ reader_id: place.reader, tag_handle: tag.tag_handle });
  } catch (error) {
    throw tagFailure(error);
  } finally {
    await nfc.refresh();
  }
}

const SENTENCES: ReadonlyMap<unknown, TextKey> = new Map<unknown, TextKey>([
  ['not_found', 'nfc.reader_gone'],
  ['invalid_state', 'nfc.tag_gone'],
  ['nfc_tag_unsupported', 'nfc.not_possible'],
  ['unavailable', 'nfc.no_answer'],
]);

/** What a tag contains after a write that has failed, by `details.tag_state`. */
const TAG_STATES: ReadonlyMap<unknown, TextKey> = new Map<unknown, TextKey>([
  ['unchanged', 'nfc.left_unchanged'],
  ['empty', 'nfc.left_empty'],
  ['written', 'nfc.left_written'],
  ['unknown', 'nfc.left_unknown'],
]);

/** @returns what to throw in place of what was thrown */
function tagFailure(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const sentence = TAG_STATES.get(error.details?.tag_state) ?? SENTENCES.get(error.code);
  return sentence ? new ActionError(t(sentence), failureOf(error).detail) : error;
}
