/** What takes minutes of the tests of NFC: every point at which a tag or a bus can fail, and much repetition. */
import assert from 'node:assert/strict';
import { FAULTS } from '../../ci/nfc/guest/chip/pn532.ts';
import { BUS, KERNEL_BUS, type LabTag, type NfcLab, readerIds } from '../../ci/nfc/nfc-lab.ts';
import type { SocketChannel } from '../../client/http.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import {
  checkWritten,
  configureNfc,
  MESSAGE,
  nextHandle,
  OTHER,
  readers,
  SELECT_CARD,
  tagLeft,
  tagSeen,
  transceive,
  WAIT_MS,
  waitForReader,
  write,
} from './nfc-device.ts';
import type { QemuDevice } from './qemu-device.ts';
import type { ScenarioContext } from './suite.ts';
import { writeTagByClicking } from './view-tests.ts';

const LONG_MS = 20 * 60_000;
const UNPLUGS = 50;
/** More commands than any operation of these tests has. */
const MOST_COMMANDS = 100;
const KINDS = ['ntag213', 'type4'] as const;
/** Those that a chip can have for one command, and go on. */
const PASSING = FAULTS.filter((kind) => kind !== 'hang');
const { i2c: I2C, spi: SPI } = readerIds(BUS);

const isAt = (id: string) => (reader: { id: string }) => reader.id === id;
const isUsb = ({ backend }: { backend: string }): boolean => backend === 'acr122u';

/** @param socket subscribed to the events of NFC, which is enabled */
export async function longNfcTests(
  { device, longTest }: ScenarioContext<QemuDevice>,
  lab: NfcLab,
  socket: SocketChannel,
): Promise<void> {
  const fresh = (kind: (typeof KINDS)[number]): Promise<LabTag> =>
    lab.tag({ kind, ndef: MESSAGE.toString('hex') });
  const useI2c = async (): Promise<void> => {
    await lab.clear();
    await configureNfc(device, { backend: 'pn532-i2c', i2c: { bus: BUS } });
    await waitForReader(device, (reader) => isAt(I2C)(reader) && reader.tags.length === 0, true);
  };
  /** Takes the tag away if it is still there, and waits until the device has seen that. */
  const emptied = async (): Promise<void> => {
    await lab.clear();
    await waitForReader(device, (reader) => isAt(I2C)(reader) && reader.tags.length === 0, true);
  };

  await longTest('a tag is seen and written in the web app', async () => {
    await useI2c();
    await writeTagByClicking(device, lab);
    await emptied();
  });

  for (const kind of KINDS) {
    await longTest(
      `a ${kind} that is taken away before each command of a read is reported without a message, and as gone`,
      async () => {
        await useI2c();
        let commands = 0;
        for (; commands < MOST_COMMANDS; commands += 1) {
          const { mark } = socket.events;
          const seen = await tagSeen(socket, await fresh(kind), 'i2c', commands);
          const left = await tagLeft(socket, mark, I2C);
          assert.equal(left.tag_handle, seen.tag_handle);
          if (seen.ndef === undefined) continue;
          assert.equal(seen.ndef, MESSAGE.toString('base64'));
          break;
        }
        device.say(`a read has ${commands} commands`);
        assert.ok(commands >= 2 && commands < MOST_COMMANDS, String(commands));
      },
      LONG_MS,
    );

    await longTest(
      `a ${kind} that is taken away before each command of a write: the answer says what it contains`,
      async () => {
        await useI2c();
        let commands = 0;
        for (; commands < MOST_COMMANDS; commands += 1) {
          const tag = await fresh(kind);
          const seen = await tagSeen(socket, tag, 'i2c');
          await tag.takeAfter('i2c', commands);
          const outcome = await write(device, seen, OTHER);
          await checkWritten(outcome, tag, MESSAGE, OTHER);
          await emptied();
          if (outcome.status === 200) break;
        }
        device.say(`a write has ${commands} commands`);
        assert.ok(commands >= 4 && commands < MOST_COMMANDS, String(commands));
      },
      LONG_MS,
    );
  }

  for (const kind of PASSING) {
    await longTest(
      `the fault "${kind}" at each command of a read and of a write: the reader recovers, and every report is true`,
      async () => {
        await useI2c();
        const { mark } = socket.events;
        for (let after = 0; after < 30; after += 1) {
          const tag = await fresh('ntag213');
          await lab.fail('i2c', { kind, after: Math.floor(after / 2), times: 1 });
          const seen = await tagSeen(socket, tag, 'i2c');
          assert.ok([undefined, MESSAGE.toString('base64')].includes(seen.ndef), seen.ndef);
          await lab.fail('i2c', { kind, after, times: 1 });
          await checkWritten(await write(device, seen, OTHER), tag, MESSAGE, OTHER);
          await emptied();
        }
        assert.deepEqual(socket.events.since(mark, 'nfc_reader_disconnected'), []);
        // One that lasts ends the reader, which comes back.
        await lab.fail('i2c', { kind, after: 0, times: 1_000_000 });
        await socket.events.next('nfc_reader_disconnected', mark, () => true, WAIT_MS);
        const back = socket.events.mark;
        await lab.fail('i2c');
        await socket.events.next('nfc_reader_connected', back, () => true, WAIT_MS);
        await tagSeen(socket, await fresh('ntag213'), 'i2c');
        await emptied();
      },
      LONG_MS,
    );
  }

  await longTest(
    'a bus that hangs during a read, a write and the search: the program is restarted, and works again',
    async () => {
      await useI2c();
      for (const after of [0, 2, 4, 12]) {
        const { mark } = socket.events;
        const tag = await fresh('ntag213');
        await lab.fail('i2c', { kind: 'hang', after, times: 1 });
        await tag.put('i2c');
        await socket.events.next('nfc_reader_disconnected', mark, () => true, WAIT_MS);
        await lab.clear();
        await socket.events.next('nfc_reader_connected', mark, () => true, WAIT_MS);
        await tagSeen(socket, tag, 'i2c');
        await emptied();
      }
    },
    LONG_MS,
  );

  await longTest(
    'the kernel’s own I2C and SPI drivers: read and write',
    async () => {
      await useI2c();
      await lab.useKernelBuses();
      const ids = readerIds(KERNEL_BUS);
      for (const reader of ['i2c', 'spi'] as const) {
        const backend = `pn532-${reader}`;
        await configureNfc(device, { backend, [reader]: { bus: KERNEL_BUS } });
        await waitForReader(device, isAt(ids[reader]), true);
        const tag = await fresh('type4');
        const seen = await tagSeen(socket, tag, reader);
        assert.deepEqual([seen.reader_id, seen.ndef], [ids[reader], MESSAGE.toString('base64')]);
        await checkWritten(await write(device, seen, OTHER), tag, MESSAGE, OTHER);
        const { mark } = socket.events;
        await lab.power(reader, false);
        await socket.events.next('nfc_reader_disconnected', mark, () => true, WAIT_MS);
        await lab.power(reader, true);
        await socket.events.next('nfc_reader_connected', mark, () => true, WAIT_MS);
        await lab.clear();
      }
      await configureNfc(device, { backend: 'pn532-i2c', i2c: { bus: BUS }, spi: { bus: BUS } });
    },
    LONG_MS,
  );

  await longTest(
    `${UNPLUGS} times unplugged, an ACR122U has the same id each time, and the program holds no more than before`,
    async () => {
      await configureNfc(device, { backend: 'acr122u' });
      await lab.plugUsb();
      const { id } = await waitForReader(device, isUsb, true);
      const held = async (): Promise<number[]> => {
        const output = await device.shell.ok(
          `pid=$(systemctl show -P MainPID vitrine-nfc); echo $pid; ls /proc/$pid/fd | wc -l; ls /proc/$pid/task | wc -l`,
        );
        return output.split('\n').map(Number);
      };
      const cycle = async (): Promise<void> => {
        const { mark } = socket.events;
        await lab.unplugUsb();
        await socket.events.next('nfc_reader_disconnected', mark, () => true, WAIT_MS);
        await lab.plugUsb();
        const { payload } = await socket.events.next('nfc_reader_connected', mark, () => true, WAIT_MS);
        assert.equal(payload.reader_id, id);
      };
      for (let n = 0; n < 5; n += 1) await cycle();
      const [pid, files = 0, threads = 0] = await held();
      for (let n = 0; n < UNPLUGS; n += 1) await cycle();
      const [pidAfter, filesAfter = 0, threadsAfter = 0] = await held();
      device.say(`${files} files and ${threads} threads, afterwards ${filesAfter} and ${threadsAfter}`);
      assert.equal(pidAfter, pid);
      assert.ok(filesAfter <= files + 2 && threadsAfter <= threads + 2);
      await tagSeen(socket, await fresh('type4'), 'usb');
      await lab.clear();
    },
    LONG_MS,
  );

  await longTest(
    'a pcscd that hangs is reported, and its reader is gone until it answers',
    async () => {
      const { mark } = socket.events;
      await device.shell.ok('systemctl kill -s STOP pcscd');
      await socket.events.next('nfc_reader_disconnected', mark, () => true, WAIT_MS);
      await waitFor(
        async () => /pcscd\) does not answer/.test(JSON.stringify(await device.get('/device/health'))),
        { timeoutMs: WAIT_MS, what: 'the problem of health', intervalMs: 500 },
      );
      await device.shell.ok('systemctl kill -s CONT pcscd');
      await socket.events.next('nfc_reader_connected', mark, () => true, WAIT_MS);
      await tagSeen(socket, await fresh('type4'), 'usb');
      await lab.clear();
    },
    LONG_MS,
  );

  await longTest(
    'a choice of the device: three readers at once in a fixed order, each with its tags',
    async () => {
      await lab.plugUsb();
      await configureNfc(device, { backend: 'auto', i2c: { bus: BUS }, spi: { bus: BUS } });
      await waitForReader(device, isAt(I2C), true);
      await waitForReader(device, isAt(SPI), true);
      const usb = await waitForReader(device, isUsb, true);
      assert.deepEqual(
        (await readers(device)).map(({ id }) => id),
        [I2C, SPI, usb.id],
      );
      const card = await lab.tag({ kind: 'card' });
      const tag = await fresh('ntag213');
      const [onI2c, onSpi] = [await tagSeen(socket, card, 'i2c'), await tagSeen(socket, tag, 'spi')];
      const wrong = await write(device, { ...onSpi, reader_id: I2C }, OTHER);
      assert.deepEqual([wrong.status, wrong.code], [404, 'not_found']);
      const [selected, written] = await Promise.all([
        transceive(device, onI2c, SELECT_CARD),
        write(device, onSpi, OTHER),
      ]);
      nextHandle(selected);
      await checkWritten(written, tag, MESSAGE, OTHER);
      await lab.clear();
    },
    LONG_MS,
  );
}

/** Restarts of the agent and of the device, which end all connections. NFC is enabled. */
export async function nfcRestartTests(
  { device, longTest }: ScenarioContext<QemuDevice>,
  lab: NfcLab,
): Promise<void> {
  await longTest(
    'the agent restarted with a tag in the field: it is reported again, and its old handle is stale',
    async () => {
      await configureNfc(device, { backend: 'pn532-i2c', i2c: { bus: BUS } });
      await waitForReader(device, isAt(I2C), true);
      const tag = await lab.tag({ kind: 'ntag213', ndef: MESSAGE.toString('hex') });
      const socket = await device.events('nfc_tag');
      const seen = await tagSeen(socket, tag, 'i2c');
      await socket.close();
      await device.shell.ok('systemctl restart vitrine-agent', WAIT_MS);
      await device.waitUp();
      const { tags } = await waitForReader(device, (reader) => reader.tags.length === 1, true);
      const tag_handle = tags[0]?.tag_handle ?? '';
      assert.notEqual(tag_handle, seen.tag_handle);
      const stale = await write(device, seen, OTHER);
      assert.deepEqual([stale.status, stale.code], [409, 'invalid_state']);
      const written = await write(device, { ...seen, tag_handle }, OTHER);
      await checkWritten(written, tag, MESSAGE, OTHER);
      await lab.clear();
    },
    LONG_MS,
  );

  await longTest(
    'after a reboot each reader has the id that it had',
    async () => {
      await configureNfc(device, { backend: 'auto', i2c: { bus: BUS }, spi: { bus: BUS } });
      const plugged = async (): Promise<void> => {
        await lab.plugUsb();
        for (const reader of [isAt(I2C), isAt(SPI), isUsb]) await waitForReader(device, reader, true);
      };
      await plugged();
      const before = (await readers(device)).map(({ id }) => id);
      await device.restart(() => device.act('POST', '/device/reboot'));
      await lab.load();
      await plugged();
      assert.deepEqual(
        (await readers(device)).map(({ id }) => id),
        before,
      );
      assert.equal(field(await device.get('/config'), 'nfc.enabled'), true);
    },
    LONG_MS,
  );
}
