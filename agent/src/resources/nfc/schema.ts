import type { Static } from 'typebox';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { defineError, type ErrorRef } from '../../contract/errors.ts';
import { Exactly, matching } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';

export const nfcDisabled = defineError('nfc_disabled', 503, 'NFC is switched off in the configuration.');
export const invalidState = defineError('invalid_state', 409, 'The tag handle is no longer valid.');
export const nfcTagUnsupported = defineError('nfc_tag_unsupported', 409, 'The tag cannot do this operation.');

const Techs = Type.Array(Type.Enum(['iso-dep', 'ndef']));
const ReaderId = Type.String({ minLength: 1, maxLength: 128 });
const TagHandle = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Opaque, valid for one use and until the tag leaves',
});
const Base64 = (maxLength: number, description = 'base64') =>
  Type.String({
    maxLength,
    ...matching(
      '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
      'must be base64, with its = at the end',
    ),
    description,
  });
const Hex = Type.String({ pattern: '^(?:[0-9A-F]{2})+$', description: 'Upper-case hexadecimal' });

const tagFields = {
  tag_handle: TagHandle,
  uid: Hex,
  atqa: Hex,
  sak: Hex,
  techs: Techs,
  ndef: Type.Optional(
    Type.String({
      description: 'The NDEF message in base64; absent without one, or if it could not be read',
    }),
  ),
};
/** A tag that is present. */
export const NfcTag = Type.Object(tagFields, { $id: 'NfcTag' });
export type NfcTag = Static<typeof NfcTag>;

/** An NFC reader. */
export const NfcReader = Type.Object(
  {
    id: ReaderId,
    backend: Type.String({ examples: ['acr122u', 'pn532-i2c', 'pn532-spi'] }),
    present: Type.Boolean(),
    capabilities: Type.Object({ techs: Techs, has_led: Type.Boolean(), has_buzzer: Type.Boolean() }),
    tags: Type.Array(NfcTag, { description: 'Present tags with their current handles' }),
  },
  { $id: 'NfcReader' },
);
export type NfcReader = Static<typeof NfcReader>;

export const nfcTag = topic(
  'nfc_tag',
  Type.Object({ reader_id: ReaderId, ...tagFields }),
  "A tag entered a reader's field",
);
export const nfcTagRemoved = topic(
  'nfc_tag_removed',
  Type.Object({ reader_id: ReaderId, tag_handle: TagHandle }),
  'The tag left the field; its handle, the last that was issued, is no longer valid',
);
export const nfcReaderConnected = topic(
  'nfc_reader_connected',
  Type.Object({ reader_id: ReaderId, backend: Type.String() }),
  'A reader was plugged in or initialised',
);
export const nfcReaderDisconnected = topic(
  'nfc_reader_disconnected',
  Type.Object({ reader_id: ReaderId }),
  'A reader was unplugged; its tag handles are no longer valid',
);

const TAG_ERRORS: ErrorRef[] = [nfcDisabled, 'not_found', invalidState, nfcTagUnsupported, 'unavailable'];
/** The answer to a request that used a handle. */
const NextHandle = Type.Optional(
  Type.String({ description: 'For the next request with this tag; absent if it has left' }),
);
const common = { tag: 'NFC', status: 200 } as const;

export const getNfcReaders = endpoint({
  method: 'GET',
  path: '/nfc/readers',
  ...common,
  summary: 'Readers',
  description:
    'Readers that are or were connected, and those that are configured by name; `present` says whether a reader is connected and answers. An empty list on a system that is not the appliance.',
  response: Type.Array(NfcReader),
  errors: [nfcDisabled],
});

export const transceiveNfc = endpoint({
  method: 'POST',
  path: '/nfc/transceive',
  ...common,
  summary: 'Exchange one APDU with the present tag',
  description:
    'An APDU of 4 to 65 544 bytes; extended ones are supported as far as the reader can pass them on. The tag handle can be used once; the answer has the next one. 409 `invalid_state` when the tag has left, `nfc_tag_unsupported` when it is not ISO-DEP. 503 `unavailable` when the reader or the tag did not answer.',
  body: Exactly({ reader_id: ReaderId, tag_handle: TagHandle, apdu: Base64(88_000) }),
  response: Type.Object({
    response: Type.String({ description: 'base64, without the status word' }),
    sw: Type.String({ pattern: '^[0-9A-F]{4}$', description: 'ISO 7816 status word' }),
    tag_handle: NextHandle,
  }),
  errors: TAG_ERRORS,
});

export const writeNdef = endpoint({
  method: 'POST',
  path: '/nfc/ndef/write',
  ...common,
  summary: 'Write an NDEF message to the present tag',
  description:
    'Replaces the message of a type 2 or type 4 tag, and reads it back. The tag handle can be used once; the answer has the next one. 409 `nfc_tag_unsupported` when the tag cannot be written or is too small: it is unchanged. 409 `invalid_state` when it has left, 503 `unavailable` when writing failed; then `details.tag_state` says what it contains: `unchanged`, `empty` (no message), `written` or `unknown`.',
  body: Exactly({
    reader_id: ReaderId,
    tag_handle: TagHandle,
    message: Base64(88_000, 'NDEF message in base64; empty: none'),
  }),
  response: Type.Object({ written_bytes: Type.Integer({ minimum: 0 }), tag_handle: NextHandle }),
  errors: TAG_ERRORS,
});

export const giveNfcFeedback = endpoint({
  method: 'POST',
  path: '/nfc/reader/feedback',
  ...common,
  summary: "Drive the reader's light and buzzer",
  description:
    '`led` and `buzzer_ms` are optional. Returns the reader. 503 `unavailable` for a reader that is not connected, or lacks what is asked for (`capabilities`).',
  body: Exactly({
    reader_id: ReaderId,
    led: Type.Optional(Type.Enum(['off', 'green', 'red', 'orange'])),
    buzzer_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  }),
  response: NfcReader,
  errors: [nfcDisabled, 'not_found', 'unavailable'],
});
