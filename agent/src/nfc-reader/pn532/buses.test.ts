import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unwatched } from '../../base/watch.ts';
import { ModelChip } from '../tests/model-chip.ts';
import { ModelType2 } from '../tests/model-tags.ts';
import { openI2c } from './i2c.ts';
import { openPn532, readNdef, type Transport, WriteProgress, writeNdef } from './reader.ts';
import { openSpi } from './spi.ts';

const MESSAGE = Buffer.from('a message of some length '.repeat(4));

async function writeAndRead(opening: Promise<Transport>, chip: ModelChip): Promise<void> {
  chip.put(ModelType2.ntag213());
  const field = await openPn532(opening);
  const [tag] = await field.poll();
  assert.ok(tag);
  await writeNdef(tag, MESSAGE, new WriteProgress());
  assert.deepEqual((await readNdef(tag)).message, MESSAGE);
  await field.close();
  assert.ok(chip.isClosed);
}

test('I2C: each read begins with a status byte', async () => {
  const chip = new ModelChip();
  const addresses = new Set<number>();
  const opening = openI2c(3, 0x24, unwatched, () => ({
    openPromisified: async (bus) => {
      assert.equal(bus, 3);
      return {
        i2cWrite: async (address, length, buffer) => {
          addresses.add(address);
          await chip.write(buffer.subarray(0, length));
          return { bytesWritten: length, buffer };
        },
        i2cRead: async (address, length, buffer) => {
          addresses.add(address);
          const isReady = await chip.isReady();
          buffer[0] = isReady ? 1 : 0;
          if (isReady && length > 1) (await chip.read(length - 1)).copy(buffer, 1);
          return { bytesRead: length, buffer };
        },
        close: () => chip.close(),
      };
    },
  }));
  await writeAndRead(opening, chip);
  assert.deepEqual([...addresses], [0x24]);
});

test('SPI: the least significant bit first, in mode 0, with a status before each read', async () => {
  const chip = new ModelChip();
  const mirror = (byte: number): number =>
    Number.parseInt([...byte.toString(2).padStart(8, '0')].reverse().join(''), 2);
  const answer = async (sent: Buffer): Promise<Buffer> => {
    if (sent[0] === 2) return Buffer.of(0, (await chip.isReady()) ? 1 : 0);
    if (sent[0] === 3) return Buffer.concat([Buffer.of(0), await chip.read(sent.length - 1)]);
    assert.equal(sent[0], 1);
    await chip.write(sent.subarray(1));
    return Buffer.alloc(sent.length);
  };
  const opening = openSpi(1, 2, unwatched, () => ({
    MODE0: 0,
    open: (bus, cs, { mode }, opened) => {
      assert.deepEqual([bus, cs, mode], [1, 2, 0]);
      setImmediate(opened, null);
      const device: ReturnType<typeof import('spi-device')['open']> = {
        transfer: ([message], done) => {
          assert.ok(message);
          answer(Buffer.from(message.sendBuffer.map(mirror))).then((bytes) => {
            message.receiveBuffer.set(bytes.map(mirror));
            done(null);
          }, done);
          return device;
        },
        close: (done) => void chip.close().then(() => done(null)),
      };
      return device;
    },
  }));
  await writeAndRead(opening, chip);
});
