/** What the tests of NFC ask of the device, as a host does. */
import assert from 'node:assert/strict';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { LabTag } from '../../ci/nfc/nfc-lab.ts';
import type { EventOf } from '../../client/contract.ts';
import type { SocketChannel } from '../../client/http.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from './device.ts';

/** Time limit for a reader or a tag to come or go, in ms. The program is started on an emulated processor. */
export const WAIT_MS = 90_000;
/** An NDEF message with the address https://example.com (NFC Forum URI record), and another one. */
export const MESSAGE = Buffer.from('d1010c55046578616d706c652e636f6d', 'hex');
export const OTHER = Buffer.from(`d1014055046578616d706c652e6e65742f${'61'.repeat(51)}`, 'hex');
/** Selects the application of the lab's card. */
export const SELECT_CARD = Buffer.from('00a4040007f0010203040506', 'hex');

const Readers = Type.Array(
  Type.Object({
    id: Type.String(),
    backend: Type.String(),
    present: Type.Boolean(),
    capabilities: Type.Object({ has_led: Type.Boolean(), has_buzzer: Type.Boolean() }),
    tags: Type.Array(
      Type.Object({
        tag_handle: Type.String(),
        uid: Type.String(),
        ndef: Type.Optional(Type.String()),
      }),
    ),
  }),
);
type Reader = Type.Static<typeof Readers>[number];

/** Changes the configuration, which must be live; null: as on a new device. */
export async function configureNfc(device: Device, nfc: Record<string, unknown> | null): Promise<void> {
  const applied = field(await device.act('PATCH', '/config', { nfc }), 'applied');
  assert.ok(typeof applied === 'object' && applied !== null);
  assert.deepEqual(
    Object.values(applied).filter((each) => each !== 'live'),
    [],
  );
}

export async function readers(device: Device): Promise<Reader[]> {
  const list = await device.get('/nfc/readers');
  assert.ok(Value.Check(Readers, list), JSON.stringify(list));
  return list;
}

/** Waits until a reader is there, or is not. */
export async function waitForReader(
  device: Device,
  matches: (reader: Reader) => boolean,
  isPresent: boolean,
): Promise<Reader> {
  let last: Reader[] = [];
  return await waitFor(
    async () => {
      last = await readers(device);
      return last.find((reader) => matches(reader) && reader.present === isPresent);
    },
    { timeoutMs: WAIT_MS, what: `the reader to be ${isPresent ? 'present' : 'gone'}`, intervalMs: 300 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; the readers are ${JSON.stringify(last)}`);
  });
}

/** Whether the service of the reader program runs. */
export async function isProgramActive(device: Device): Promise<boolean> {
  return (await device.shell.run('systemctl is-active --quiet vitrine-nfc')).code === 0;
}

export type TagEvent = EventOf<'nfc_tag'>['payload'];

/** Puts a tag on a reader of the lab and waits for its event. */
export async function tagSeen(
  socket: SocketChannel,
  tag: LabTag,
  reader: 'i2c' | 'spi' | 'usb',
  commands?: number,
): Promise<TagEvent> {
  const { mark } = socket.events;
  await tag.put(reader, commands);
  const isIt = ({ uid }: TagEvent): boolean => tag.uid === '' || uid === tag.uid;
  return (await socket.events.next('nfc_tag', mark, isIt, WAIT_MS)).payload;
}

/** Waits for the event that a tag has left, with the last handle that was issued for it. */
export async function tagLeft(
  socket: SocketChannel,
  mark: number,
  readerId: string,
): Promise<EventOf<'nfc_tag_removed'>['payload']> {
  const isIt = ({ reader_id }: { reader_id: string }): boolean => reader_id === readerId;
  return (await socket.events.next('nfc_tag_removed', mark, isIt, WAIT_MS)).payload;
}

/** What an answer of the API comes to: its status, the code of an error, and the body. */
export interface Outcome {
  status: number;
  code: unknown;
  body: unknown;
}

async function post(device: Device, path: string, json: object): Promise<Outcome> {
  const { status, body } = await device.http('POST', path, { json });
  return { status, code: field(body, 'error.code'), body };
}

/** Exchanges an APDU with a tag. */
export async function transceive(
  device: Device,
  { reader_id, tag_handle }: Pick<TagEvent, 'reader_id' | 'tag_handle'>,
  apdu: Buffer,
): Promise<Outcome> {
  const json = { reader_id, tag_handle, apdu: apdu.toString('base64') };
  return await post(device, '/nfc/transceive', json);
}

/** Writes an NDEF message to a tag. */
export async function write(
  device: Device,
  { reader_id, tag_handle }: Pick<TagEvent, 'reader_id' | 'tag_handle'>,
  message: Buffer,
): Promise<Outcome> {
  const json = { reader_id, tag_handle, message: message.toString('base64') };
  return await post(device, '/nfc/ndef/write', json);
}

/** The handle that an answer gives for the next request. */
export function nextHandle({ status, body }: Outcome): string {
  const handle = field(body, 'tag_handle');
  assert.ok(status === 200 && typeof handle === 'string', JSON.stringify([status, body]));
  return handle;
}

/**
 * Asserts that what the device says about a write is true of the tag.
 * @param before what the tag had @param message what was written
 */
export async function checkWritten(
  { status, code, body }: Outcome,
  tag: LabTag,
  before: Buffer,
  message: Buffer,
): Promise<void> {
  const content = await tag.content();
  const expected: Readonly<Record<string, Buffer>> = {
    unchanged: before,
    empty: Buffer.alloc(0),
    written: message,
  };
  const state = status === 200 ? 'written' : (field(body, 'error.details.tag_state') ?? 'unchanged');
  const text = JSON.stringify([status, body, content]);
  assert.ok(status === 200 || code === 'invalid_state' || code === 'unavailable', text);
  // A tag whose length is set always has a whole message, whatever happened.
  const wholes = Object.values(expected).map((whole) => whole.toString('hex'));
  assert.ok(content && wholes.includes(content.message), text);
  if (state !== 'unknown') assert.equal(content.message, expected[String(state)]?.toString('hex'), text);
}
