/**
 * NFC on emulated readers: models of a PN532 behind the kernel's interfaces of I2C and SPI, and of an ACR122U on the emulated USB,
 * with models of tags (ci/nfc/). The reader program, its native modules, pcscd and libccid are those of the image.
 */
import assert from 'node:assert/strict';
import { BUS, NfcLab, readerIds } from '../../ci/nfc/nfc-lab.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import { waitForHostAddress } from '../harness/cable.ts';
import {
  checkWritten,
  configureNfc,
  isProgramActive,
  MESSAGE,
  nextHandle,
  OTHER,
  readers,
  SELECT_CARD,
  type TagEvent,
  tagLeft,
  tagSeen,
  transceive,
  WAIT_MS,
  waitForReader,
  write,
} from '../harness/nfc-device.ts';
import { longNfcTests, nfcRestartTests } from '../harness/nfc-long-tests.ts';
import { pageNfcTests } from '../harness/page-nfc-tests.ts';
import { checkGate } from '../harness/radio-gates.ts';
import { scenario } from '../harness/suite.ts';

const POLL_MS = 250;
const SLOW_POLL_MS = 1000;
const FAST_POLL_MS = 100;
/** How long looks for tags are counted. */
const COUNT_MS = 3000;
const { i2c: I2C, spi: SPI } = readerIds(BUS);
const TOPICS = ['nfc_tag', 'nfc_tag_removed', 'nfc_reader_connected', 'nfc_reader_disconnected'] as const;

/** An extended APDU to which the lab's card gives its data back. */
function echo(bytes: number): Buffer {
  const length = Buffer.from([0, bytes >> 8, bytes & 0xff]);
  return Buffer.concat([Buffer.from('80100000', 'hex'), length, Buffer.alloc(bytes, 0x5a), Buffer.alloc(2)]);
}

export default scenario({
  title:
    'NFC: gates, tags at readers on I2C, SPI and USB, handles, Web NFC, and readers that fail, hang and come back',
  needs: 'machine',
  parts: ['readers', 'gadget'],
  machine: 'restored',
  run: async (context) => {
    const { device, test } = context;
    await test('disabled, every endpoint says so, and no reader program runs', async () => {
      await checkGate(device, 'nfc', 'nfc_disabled');
      assert.equal(await isProgramActive(device), false);
    });

    const lab = await NfcLab.plug(device.shell);
    const socket = await device.events(...TOPICS);
    const isAt = (id: string) => (reader: { id: string }) => reader.id === id;
    const isUsb = ({ backend }: { backend: string }): boolean => backend === 'acr122u';
    try {
      await test('enabled, a PN532 on I2C is found, and every endpoint is open', async () => {
        await configureNfc(device, {
          enabled: true,
          backend: 'pn532-i2c',
          i2c: { bus: BUS },
          spi: { bus: BUS },
          poll: { interval_ms: POLL_MS },
        });
        const { payload } = await socket.events.next('nfc_reader_connected', 0, () => true, WAIT_MS);
        assert.deepEqual(payload, { reader_id: I2C, backend: 'pn532-i2c' });
        const [reader, ...others] = await readers(device);
        assert.ok(reader?.present);
        assert.deepEqual(others, []);
        await checkGate(device, 'nfc', undefined);
        const feedback = { reader_id: I2C, led: 'green' };
        const { status, body } = await device.http('POST', '/nfc/reader/feedback', { json: feedback });
        assert.deepEqual([status, field(body, 'error.code')], [503, 'unavailable']);
      });

      await test('a tag that comes is reported on both links with its message, and in the list, until it leaves', async () => {
        const serial = await device.serial();
        try {
          await serial.subscribe(...TOPICS);
          const tag = await lab.tag({ kind: 'ntag215', ndef: MESSAGE.toString('hex') });
          const begun = performance.now();
          const seen = await tagSeen(socket, tag, 'i2c');
          device.say(`seen after ${Math.round(performance.now() - begun)} ms`);
          const { tag_handle } = seen;
          const expected = {
            uid: tag.uid,
            atqa: '0044',
            sak: '00',
            techs: ['ndef'],
            ndef: MESSAGE.toString('base64'),
          };
          assert.deepEqual(seen, { reader_id: I2C, tag_handle, ...expected });
          const onSerial = await serial.events.next('nfc_tag', 0, () => true, WAIT_MS);
          assert.deepEqual(onSerial.payload, seen);
          assert.deepEqual(field((await readers(device))[0], 'tags.0'), { tag_handle, ...expected });
          const { mark } = socket.events;
          await tag.take('i2c');
          const left = performance.now();
          assert.deepEqual(await tagLeft(socket, mark, I2C), { reader_id: I2C, tag_handle });
          device.say(`reported as gone after ${Math.round(performance.now() - left)} ms`);
          await serial.events.next('nfc_tag_removed', 0, () => true, WAIT_MS);
          assert.deepEqual((await readers(device))[0]?.tags, []);
        } finally {
          await serial.close();
        }
      });

      await test('a message is written; each handle can be used once, and never another one’s', async () => {
        const tag = await lab.tag({ kind: 'ntag213', ndef: MESSAGE.toString('hex') });
        const seen = await tagSeen(socket, tag, 'i2c');
        const written = await write(device, seen, OTHER);
        await checkWritten(written, tag, MESSAGE, OTHER);
        assert.equal(field(written.body, 'written_bytes'), OTHER.length);
        const next = { ...seen, tag_handle: nextHandle(written) };
        const [listed] = (await readers(device))[0]?.tags ?? [];
        assert.deepEqual([listed?.tag_handle, listed?.ndef], [next.tag_handle, OTHER.toString('base64')]);
        const both = await Promise.all([write(device, next, MESSAGE), write(device, next, OTHER)]);
        assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
        for (const [handle, expected] of [
          [seen.tag_handle, [409, 'invalid_state']],
          [next.tag_handle, [409, 'invalid_state']],
          [seen.tag_handle.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')), [404, 'not_found']],
        ] as const) {
          const { status, code } = await write(device, { ...seen, tag_handle: handle }, OTHER);
          assert.deepEqual([status, code], expected, handle);
        }
        const [{ tag_handle = '' } = {}] = (await readers(device))[0]?.tags ?? [];
        const { mark } = socket.events;
        await tag.take('i2c');
        assert.deepEqual(await tagLeft(socket, mark, I2C), { reader_id: I2C, tag_handle });
        const stale = await write(device, { ...seen, tag_handle }, OTHER);
        assert.deepEqual([stale.status, stale.code], [409, 'invalid_state']);
      });

      await test('APDUs: one after the other with one card, long ones, and tags that cannot', async () => {
        const card = await lab.tag({ kind: 'card' });
        const seen = await tagSeen(socket, card, 'i2c');
        assert.deepEqual([seen.techs, seen.sak, seen.ndef], [['iso-dep'], '20', undefined]);
        let tag_handle = seen.tag_handle;
        const exchange = async (apdu: Buffer): Promise<unknown[]> => {
          const answer = await transceive(device, { ...seen, tag_handle }, apdu);
          tag_handle = nextHandle(answer);
          return [field(answer.body, 'response'), field(answer.body, 'sw')];
        };
        assert.deepEqual(await exchange(SELECT_CARD), ['', '9000']);
        assert.deepEqual(await exchange(Buffer.from('80fe0000', 'hex')), ['', '6D00']);
        assert.deepEqual(await exchange(echo(1500)), [Buffer.alloc(1500, 0x5a).toString('base64'), '9000']);
        await card.take('i2c');
        const sealed = await lab.tag({ kind: 'ntag216', ndef: MESSAGE.toString('hex'), isLocked: true });
        const other = await tagSeen(socket, sealed, 'i2c');
        for (const refused of [
          await transceive(device, other, SELECT_CARD),
          await write(device, other, OTHER),
        ]) {
          assert.deepEqual([refused.status, refused.code], [409, 'nfc_tag_unsupported']);
        }
        assert.equal((await sealed.content())?.message, MESSAGE.toString('hex'));
        await lab.clear();
      });

      await test('two tags at once, one of them a MIFARE Classic', async () => {
        const classic = await lab.tag({ kind: 'classic' });
        const tag = await lab.tag({ kind: 'type4', ndef: MESSAGE.toString('hex') });
        const first = await tagSeen(socket, classic, 'i2c');
        assert.deepEqual([first.techs, first.ndef], [[], undefined]);
        const second = await tagSeen(socket, tag, 'i2c');
        assert.equal(second.ndef, MESSAGE.toString('base64'));
        const { tags } = await waitForReader(device, ({ tags }) => tags.length === 2, true);
        assert.deepEqual(tags.map(({ uid }) => uid).sort(), [classic.uid, tag.uid].sort());
        await checkWritten(await write(device, second, OTHER), tag, MESSAGE, OTHER);
        const { mark } = socket.events;
        await classic.take('i2c');
        assert.equal((await tagLeft(socket, mark, I2C)).tag_handle, first.tag_handle);
        await lab.clear();
      });

      await test('the interval of the looks for tags is live', async () => {
        const looks = async (interval_ms: number): Promise<number> => {
          await configureNfc(device, { poll: { interval_ms } });
          await lab.log('i2c');
          await new Promise((resolve) => setTimeout(resolve, COUNT_MS));
          return (await lab.log('i2c')).filter((frame) => frame.startsWith('4a')).length;
        };
        const slow = await looks(SLOW_POLL_MS);
        const fast = await looks(FAST_POLL_MS);
        device.say(`${slow} and ${fast} looks in ${COUNT_MS / 1000} s`);
        assert.ok(slow >= 1 && slow <= COUNT_MS / SLOW_POLL_MS + 1, `${slow} looks`);
        assert.ok(fast > 2 * slow && fast <= COUNT_MS / FAST_POLL_MS + 1, `${fast} looks`);
        await configureNfc(device, { poll: { interval_ms: POLL_MS } });
      });

      await pageNfcTests(context, lab, socket);

      await test('a reader without power, and one whose bus hangs, are reported and come back', async () => {
        const tag = await lab.tag({ kind: 'ntag213', ndef: MESSAGE.toString('hex') });
        const breaks = [
          [() => lab.power('i2c', false), () => lab.power('i2c', true)],
          // The process that waits for the bus cannot be interrupted, except by its end.
          [() => lab.fail('i2c', { kind: 'hang', after: 0, times: 1 }), () => lab.fail('i2c')],
        ] as const;
        for (const [cut, restore] of breaks) {
          const seen = await tagSeen(socket, tag, 'i2c');
          const { mark } = socket.events;
          await cut();
          const gone = await socket.events.next('nfc_reader_disconnected', mark, () => true, WAIT_MS);
          assert.deepEqual(gone.payload, { reader_id: I2C });
          assert.equal((await write(device, seen, OTHER)).status >= 400, true);
          await tag.take('i2c');
          await restore();
          await socket.events.next('nfc_reader_connected', mark, () => true, WAIT_MS);
          const again = await tagSeen(socket, tag, 'i2c');
          assert.notEqual(again.tag_handle, seen.tag_handle);
          const stale = await write(device, seen, OTHER);
          assert.deepEqual([stale.status, stale.code], [409, 'invalid_state']);
          // The tags of a reader that is gone get no event of their own.
          const removed = socket.events.since(mark, 'nfc_tag_removed');
          assert.deepEqual(removed, []);
          await lab.clear();
          await tagLeft(socket, mark, I2C);
        }
      });

      await test('another backend is live: the same over SPI', async () => {
        const { mark } = socket.events;
        await configureNfc(device, { backend: 'pn532-spi' });
        await socket.events.next('nfc_reader_disconnected', mark, ({ reader_id }) => reader_id === I2C);
        await socket.events.next('nfc_reader_connected', mark, ({ reader_id }) => reader_id === SPI, WAIT_MS);
        const tag = await lab.tag({ kind: 'type4', ndef: MESSAGE.toString('hex') });
        const seen = await tagSeen(socket, tag, 'spi');
        assert.deepEqual([seen.reader_id, seen.ndef], [SPI, MESSAGE.toString('base64')]);
        await checkWritten(await write(device, seen, OTHER), tag, MESSAGE, OTHER);
        const left = socket.events.mark;
        await tag.take('spi');
        await tagLeft(socket, left, SPI);
        const away = socket.events.mark;
        await lab.power('spi', false);
        await socket.events.next('nfc_reader_disconnected', away, () => true, WAIT_MS);
        await lab.power('spi', true);
        await socket.events.next('nfc_reader_connected', away, () => true, WAIT_MS);
      });

      await test('an ACR122U: tags, APDUs, light and sound, unplugged and plugged in, and pcscd killed', async () => {
        const { mark } = socket.events;
        await configureNfc(device, { backend: 'acr122u' });
        await lab.plugUsb();
        const { payload } = await socket.events.next(
          'nfc_reader_connected',
          mark,
          ({ backend }) => backend === 'acr122u',
          WAIT_MS,
        );
        const id = payload.reader_id;
        const { capabilities } = await waitForReader(device, isAt(id), true);
        assert.ok(capabilities.has_led && capabilities.has_buzzer);

        const tag = await lab.tag({ kind: 'type4', ndef: MESSAGE.toString('hex') });
        const seen = await tagSeen(socket, tag, 'usb');
        assert.deepEqual([seen.reader_id, seen.ndef], [id, MESSAGE.toString('base64')]);
        const select = await transceive(device, seen, Buffer.from('00a4040007d276000085010100', 'hex'));
        assert.equal(field(select.body, 'sw'), '9000');
        const next: TagEvent = { ...seen, tag_handle: nextHandle(select) };
        await checkWritten(await write(device, next, OTHER), tag, MESSAGE, OTHER);

        // The setting of the buzzer was sent when the reader came.
        assert.ok(
          (await lab.feedback()).some(({ what, bytes }) => what === 'buzzer_on_detect' && /^ff/.test(bytes)),
        );
        const shown = { reader_id: id, led: 'red', buzzer_ms: 200 };
        await device.act('POST', '/nfc/reader/feedback', shown);
        const left = socket.events.mark;
        await tag.take('usb');
        await tagLeft(socket, left, id);
        await device.act('POST', '/nfc/reader/feedback', { reader_id: id, led: 'green' });
        assert.equal((await lab.feedback()).filter(({ what }) => what === 'led').length >= 2, true);
        await configureNfc(device, { feedback: { on_detect: false } });
        await waitFor(
          async () =>
            (await lab.feedback()).some(
              ({ what, bytes }) => what === 'buzzer_on_detect' && /^00/.test(bytes),
            ),
          { timeoutMs: WAIT_MS, what: 'the buzzer to be switched off' },
        );

        const breaks = [
          async () => {
            await lab.unplugUsb();
            await waitForReader(device, isAt(id), false);
            await lab.plugUsb();
          },
          () => device.shell.ok('systemctl kill -s KILL pcscd'),
        ];
        for (const cut of breaks) {
          const before = await tagSeen(socket, tag, 'usb');
          const away = socket.events.mark;
          await cut();
          const gone = await socket.events.next('nfc_reader_disconnected', away, () => true, WAIT_MS);
          assert.deepEqual(gone.payload, { reader_id: id });
          const back = await socket.events.next('nfc_reader_connected', away, () => true, WAIT_MS);
          assert.equal(back.payload.reader_id, id);
          const again = await socket.events.next('nfc_tag', away, ({ uid }) => uid === tag.uid, WAIT_MS);
          assert.notEqual(again.payload.tag_handle, before.tag_handle);
          const emptied = socket.events.mark;
          await tag.take('usb');
          await tagLeft(socket, emptied, id);
        }
        await lab.unplugUsb();
        await waitForReader(device, isUsb, false);
      });

      await longNfcTests(context, lab, socket);

      await test('disabled live, handles and events end, and the program too', async () => {
        await configureNfc(device, { backend: 'pn532-i2c' });
        await waitForReader(device, isAt(I2C), true);
        const tag = await lab.tag({ kind: 'ntag213', ndef: MESSAGE.toString('hex') });
        const seen = await tagSeen(socket, tag, 'i2c');
        await configureNfc(device, { enabled: false });
        await checkGate(device, 'nfc', 'nfc_disabled');
        await waitFor(async () => !(await isProgramActive(device)), {
          timeoutMs: WAIT_MS,
          what: 'the program to end',
        });
        const { mark } = socket.events;
        await lab.clear();
        await configureNfc(device, { enabled: true });
        await waitForReader(device, isAt(I2C), true);
        assert.deepEqual(socket.events.since(mark, 'nfc_tag'), []);
        const stale = await write(device, seen, OTHER);
        assert.deepEqual([stale.status, stale.code], [409, 'invalid_state']);
      });

      await nfcRestartTests(context, lab);
    } finally {
      await socket.close();
      await configureNfc(device, null);
      await lab.unplug();
      await waitForHostAddress(device);
    }
  },
});
