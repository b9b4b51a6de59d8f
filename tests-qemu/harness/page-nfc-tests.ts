/** Web NFC in the displayed page, with the lab's readers and tags. */
import assert from 'node:assert/strict';
import { BUS, type LabTag, type NfcLab, readerIds } from '../../ci/nfc/nfc-lab.ts';
import type { SocketChannel } from '../../client/http.ts';
import { waitFor } from '../../testing/wait.ts';
import {
  checkWritten,
  configureNfc,
  MESSAGE,
  OTHER,
  SELECT_CARD,
  tagLeft,
  tagSeen,
  WAIT_MS,
  waitForReader,
  write,
} from './nfc-device.ts';
import type { QemuDevice } from './qemu-device.ts';
import type { ScenarioContext } from './suite.ts';

const { i2c: I2C } = readerIds(BUS);

/** A page written from the specification's examples. What happens is in `seen`. */
const PAGE = `<!doctype html><html lang="en"><title>nfc</title><script>
  var seen = [];
  const say = (what) => (error) => seen.push(what + ' ' + error.name);
  async function scan() {
    const reader = new NDEFReader();
    await reader.scan();
    reader.onreadingerror = () => seen.push('error');
    reader.onreading = ({ message, serialNumber }) => seen.push(serialNumber + ' ' + message.records.map(
      ({ recordType, data }) => recordType + ' ' + new TextDecoder().decode(data)).join());
    seen.push('scanning');
  }
  var controller;
  function write(url, options) {
    controller = new AbortController();
    new NDEFReader().write({ records: [{ recordType: 'url', data: url }] }, { signal: controller.signal, ...options })
      .then(() => seen.push('written'), say('write'));
  }
  function transceive(...apdu) {
    vitrine.nfc.transceive(new Uint8Array(apdu))
      .then((answer) => seen.push('answer ' + new Uint8Array(answer).join()), say('transceive'));
  }
</script>`;
/** The message of `OTHER`, as the page writes it. */
const OTHER_URL = `https://example.net/${'a'.repeat(51)}`;

/** The serial number as pages see it. */
const serial = ({ uid }: LabTag): string => (uid.toLowerCase().match(/../g) ?? []).join(':');

/**
 * The page must be allowed by `nfc.origins`, which these tests set.
 * @param socket subscribed to the events of NFC, which is enabled and has no tag
 */
export async function pageNfcTests(
  { device, pages, test }: ScenarioContext<QemuDevice>,
  lab: NfcLab,
  socket: SocketChannel,
): Promise<void> {
  const show = async (): Promise<void> => {
    await device.act('POST', '/display/navigate', { url: pages.add(PAGE) });
    // The first page of a restored device may be too slow, and is loaded again then.
    await device.waitForDisplay(({ loading, error }) => !loading && !error, 'the page', WAIT_MS);
  };
  /** Runs a statement of the page, and does not wait for what it begins. */
  const run = (script: string): Promise<unknown> => device.runScript(`void (${script})`);
  /** Waits until the page has seen something, and takes it from its list. */
  const sees = async (expected: string): Promise<void> => {
    let last: unknown;
    await waitFor(
      async () => {
        last = await device.runScript('seen');
        return Array.isArray(last) && last.includes(expected);
      },
      { timeoutMs: WAIT_MS, what: `"${expected}" in the page`, intervalMs: 200 },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; it has seen ${JSON.stringify(last)}`);
    });
    await device.runScript(`void seen.splice(seen.indexOf(${JSON.stringify(expected)}), 1)`);
  };
  const take = async (tag: LabTag): Promise<void> => {
    const { mark } = socket.events;
    await tag.take('i2c');
    await tagLeft(socket, mark, I2C);
  };

  await test('a page whose origin is not listed has no NFC; once it is listed and loaded, it has', async () => {
    await configureNfc(device, {
      backend: 'pn532-i2c',
      i2c: { bus: BUS },
      origins: ['https://kiosk.example'],
    });
    await waitForReader(device, ({ id }) => id === I2C, true);
    const names = ['NDEFReader', 'NDEFMessage', 'NDEFRecord', 'NDEFReadingEvent', 'vitrine'];
    const present = () => device.runScript(`${JSON.stringify(names)}.filter((name) => name in window)`);
    await show();
    assert.deepEqual(await present(), []);
    await configureNfc(device, { origins: [pages.origin] });
    await show();
    assert.deepEqual(await present(), names);
  });

  await test('scanning: tags that are present, that come, and that cannot be read; hosts get their events', async () => {
    const tag = await lab.tag({ kind: 'ntag213', ndef: MESSAGE.toString('hex') });
    await tagSeen(socket, tag, 'i2c');
    await run('scan()');
    await sees('scanning');
    await sees(`${serial(tag)} url https://example.com`);
    await take(tag);
    const badge = await lab.tag({ kind: 'classic' });
    const seen = await tagSeen(socket, badge, 'i2c');
    assert.equal(seen.uid, badge.uid);
    await sees(`${serial(badge)} `);
    await take(badge);
    // It leaves while it is read.
    const { mark } = socket.events;
    await tag.put('i2c', 1);
    await sees('error');
    await tagLeft(socket, mark, I2C);
  });

  await test('writing: the next tag, the present one, and one whose message is to stay', async () => {
    const tag = await lab.tag({ kind: 'ntag215', ndef: MESSAGE.toString('hex') });
    await run(`write("${OTHER_URL}")`);
    const before = await tagSeen(socket, tag, 'i2c');
    await sees('written');
    assert.equal((await tag.content())?.message, OTHER.toString('hex'));
    await run('write("https://example.com/", { overwrite: false })');
    await sees('write NotAllowedError');
    assert.equal((await tag.content())?.message, OTHER.toString('hex'));
    // The handle from before is still that of this tag, and is used once.
    await checkWritten(await write(device, before, MESSAGE), tag, OTHER, MESSAGE);
    assert.equal((await write(device, before, OTHER)).status, 409);
    await take(tag);
    const empty = await lab.tag({ kind: 'type4' });
    await tagSeen(socket, empty, 'i2c');
    await run(`write("${OTHER_URL}", { overwrite: false })`);
    await sees('written');
    assert.equal((await empty.content())?.message, OTHER.toString('hex'));
    await take(empty);
  });

  await test('a write that is aborted, one to a tag that cannot be written, and one whose tag leaves', async () => {
    await run('write("https://example.com/")');
    await device.runScript('void controller.abort()');
    await sees('write AbortError');
    const sealed = await lab.tag({ kind: 'ntag216', ndef: MESSAGE.toString('hex'), isLocked: true });
    await tagSeen(socket, sealed, 'i2c');
    assert.equal((await sealed.content())?.message, MESSAGE.toString('hex'));
    await run('write("https://example.com/")');
    await sees('write NotSupportedError');
    await take(sealed);
    const tag = await lab.tag({ kind: 'ntag215', ndef: MESSAGE.toString('hex') });
    const { mark } = socket.events;
    await run(`write("${OTHER_URL}")`);
    // Reading it needs fewer commands, and reading and writing together more.
    await tag.put('i2c', 8);
    await sees('write NetworkError');
    await tagLeft(socket, mark, I2C);
  });

  await test('APDUs go to a card', async () => {
    await show();
    await run('transceive(0, 0xa4, 4, 0)');
    await sees('transceive InvalidStateError');
    const card = await lab.tag({ kind: 'card' });
    await tagSeen(socket, card, 'i2c');
    await run(`transceive(${[...SELECT_CARD].join()})`);
    await sees('answer 144,0');
    await run('transceive(0x80, 0xfe, 0, 0)');
    await sees('answer 109,0');
    await take(card);
    await run('transceive(0, 0xa4, 4, 0)');
    await sees('transceive NetworkError');
  });

  await test('a permission that is taken back ends a write that waits, and no tag is written or reported', async () => {
    await run('scan()');
    await sees('scanning');
    await run(`write("${OTHER_URL}")`);
    await configureNfc(device, { origins: [] });
    await waitFor(async () => /write \w+Error/.test(String(await device.runScript('seen.join()'))), {
      timeoutMs: WAIT_MS,
      what: 'the end of the write',
      intervalMs: 200,
    });
    const tag = await lab.tag({ kind: 'ntag213', ndef: MESSAGE.toString('hex') });
    await tagSeen(socket, tag, 'i2c');
    await take(tag);
    assert.equal((await tag.content())?.message, MESSAGE.toString('hex'));
    assert.doesNotMatch(String(await device.runScript('seen.join()')), new RegExp(serial(tag)));
  });
}
