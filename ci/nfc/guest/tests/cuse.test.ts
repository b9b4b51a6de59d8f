/** The protocol of /dev/cuse with requests as the kernel sends them, whose memory the test plays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mirrored, Pn532OnI2c, Pn532OnSpi } from '../chip/buses.ts';
import { Field } from '../chip/field.ts';
import { Pn532Chip } from '../chip/pn532.ts';
import { ERRNO } from '../cuse/errors.ts';
import { i2cDevice } from '../cuse/i2c.ts';
import { type CuseHandlers, CuseSession } from '../cuse/protocol.ts';
import { spiDevice } from '../cuse/spi.ts';

const OPEN = 14;
const READ = 15;
const WRITE = 16;
const INTERRUPT = 36;
const IOCTL = 39;
const RETRY = 4;
const ACK = Buffer.from('0000ff00ff00', 'hex');
const GET_FIRMWARE = Buffer.from('0000ff02fed4022a00', 'hex');
const FIRMWARE = Buffer.from('0000ff06fad50332010607e800', 'hex');
const I2C_SLAVE = 0x703;
const I2C_RDWR = 0x707;
const SPI_MESSAGE_1 = 0x4020_6b00;
const SPI_WRITE_LSB_FIRST = 0x4001_6b02;

/** The kernel's side: sends requests, and gives and takes the caller's memory. */
class Kernel<F> {
  readonly #session: CuseSession<F>;
  readonly memory = new Map<bigint, Buffer>();
  #unique = 0n;
  #handle = 0n;

  constructor(handlers: CuseHandlers<F>) {
    this.#session = new CuseSession('i2c-7', handlers);
  }

  /** The number of the last request. */
  get unique(): bigint {
    return this.#unique;
  }

  async request(operation: number, body: Buffer): Promise<{ error: number; data: Buffer }> {
    const head = Buffer.alloc(40);
    head.writeUInt32LE(40 + body.length);
    head.writeUInt32LE(operation, 4);
    head.writeBigUInt64LE(++this.#unique, 8);
    const unique = this.#unique;
    const reply = await this.#session.handle(Buffer.concat([head, body]));
    if (!reply) return { error: 0, data: Buffer.alloc(0) };
    assert.equal(reply.readUInt32LE(0), reply.length);
    assert.equal(reply.readBigUInt64LE(8), unique);
    return { error: Math.abs(reply.readInt32LE(4)), data: reply.subarray(16) };
  }

  async open(): Promise<void> {
    this.#handle = (await this.request(OPEN, Buffer.alloc(8))).data.readBigUInt64LE(0);
  }

  #body(length: number, size: number, data: Buffer = Buffer.alloc(0)): Buffer {
    const body = Buffer.alloc(length);
    body.writeBigUInt64LE(this.#handle);
    body.writeUInt32LE(size, 16);
    return Buffer.concat([body, data]);
  }

  async read(length: number): Promise<{ error: number; data: Buffer }> {
    return await this.request(READ, this.#body(40, length));
  }

  async write(data: Buffer): Promise<number> {
    return (await this.request(WRITE, this.#body(40, data.length, data))).error;
  }

  /** Repeats the ioctl with the memory that is asked for, as the kernel does. */
  async ioctl(command: number, argument: bigint): Promise<{ error: number; result: number }> {
    let inputs: [bigint, number][] = [];
    let outputs: [bigint, number][] = [];
    for (;;) {
      const given = Buffer.concat(inputs.map(([at, length]) => this.#at(at, length)));
      const body = Buffer.alloc(32);
      body.writeBigUInt64LE(this.#handle);
      body.writeUInt32LE(command, 12);
      body.writeBigUInt64LE(argument, 16);
      body.writeUInt32LE(given.length, 24);
      body.writeUInt32LE(
        outputs.reduce((sum, [, length]) => sum + length, 0),
        28,
      );
      const { error, data } = await this.request(IOCTL, Buffer.concat([body, given]));
      if (error !== 0) return { error, result: -1 };
      if (data.readUInt32LE(4) !== RETRY) {
        let from = 16;
        for (const [at, length] of outputs) {
          data.copy(this.#at(at, length), 0, from, from + length);
          from += length;
        }
        return { error: 0, result: data.readInt32LE(0) };
      }
      const spans = Array.from(
        { length: data.readUInt32LE(8) + data.readUInt32LE(12) },
        (_, index): [bigint, number] => [
          data.readBigUInt64LE(16 + 16 * index),
          Number(data.readBigUInt64LE(24 + 16 * index)),
        ],
      );
      inputs = spans.slice(0, data.readUInt32LE(8));
      outputs = spans.slice(data.readUInt32LE(8));
    }
  }

  #at(address: bigint, length: number): Buffer {
    const block = this.memory.get(address);
    assert.ok(block && block.length >= length, `memory at ${address}`);
    return block.subarray(0, length);
  }
}

function makeChip(): Pn532Chip {
  const chip = new Pn532Chip(new Field());
  chip.receive(ACK); // wakes it up
  return chip;
}

/** Reads the status until the chip is ready. */
async function untilReady(isReady: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 1000; look += 1) {
    if (await isReady()) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.fail('the chip was never ready');
}

test('the first request is answered with the name of the device', async () => {
  const kernel = new Kernel(i2cDevice([]));
  const version = Buffer.alloc(16);
  version.writeUInt32LE(7);
  version.writeUInt32LE(45, 4);
  const { data } = await kernel.request(4096, version);
  assert.deepEqual([data.readUInt32LE(0), data.readUInt32LE(4), data.readUInt32LE(12)], [7, 31, 1]);
  assert.equal(data.subarray(72).toString(), 'DEVNAME=i2c-7\0');
});

test('reads and writes of an I2C device reach the chip at its address', async () => {
  const chip = makeChip();
  const kernel = new Kernel(i2cDevice([new Pn532OnI2c(chip, 0x24)]));
  await kernel.open();
  await kernel.ioctl(I2C_SLAVE, 0x25n);
  assert.equal(await kernel.write(GET_FIRMWARE), ERRNO.EREMOTEIO);
  await kernel.ioctl(I2C_SLAVE, 0x24n);
  assert.equal(await kernel.write(GET_FIRMWARE), 0);
  const ready = async (): Promise<boolean> => (await kernel.read(1)).data[0] === 1;
  await untilReady(ready);
  assert.deepEqual((await kernel.read(7)).data, Buffer.concat([Buffer.from([1]), ACK]));
  await untilReady(ready);
  assert.deepEqual((await kernel.read(14)).data, Buffer.concat([Buffer.from([1]), FIRMWARE]));
  chip.power(false);
  assert.equal((await kernel.read(1)).error, ERRNO.EREMOTEIO);
});

test('a combined transfer of I2C asks for the memory of each message', async () => {
  const chip = makeChip();
  const kernel = new Kernel(i2cDevice([new Pn532OnI2c(chip, 0x24)]));
  await kernel.open();
  const messages = Buffer.alloc(32);
  messages.writeUInt16LE(0x24, 0);
  messages.writeUInt16LE(GET_FIRMWARE.length, 4);
  messages.writeBigUInt64LE(3000n, 8);
  messages.writeUInt16LE(0x24, 16);
  messages.writeUInt16LE(1, 18);
  messages.writeUInt16LE(2, 20);
  messages.writeBigUInt64LE(4000n, 24);
  const head = Buffer.alloc(16);
  head.writeBigUInt64LE(2000n);
  head.writeUInt32LE(2, 8);
  const status = Buffer.alloc(2, 0xee);
  for (const [at, bytes] of [
    [1000n, head],
    [2000n, messages],
    [3000n, GET_FIRMWARE],
    [4000n, status],
  ] as const) {
    kernel.memory.set(at, Buffer.from(bytes));
  }
  assert.deepEqual(await kernel.ioctl(I2C_RDWR, 1000n), { error: 0, result: 2 });
  // The chip has just got the command, and is not ready.
  assert.deepEqual(kernel.memory.get(4000n), Buffer.from([0, 0]));
  assert.deepEqual(chip.takeLog(), ['02']);
});

test('transfers of an SPI device are mirrored, and LSB first is refused as by a Raspberry Pi', async () => {
  const chip = makeChip();
  const kernel = new Kernel(spiDevice(new Pn532OnSpi(chip)));
  await kernel.open();
  const transfer = async (bytes: Buffer): Promise<Buffer> => {
    const part = Buffer.alloc(32);
    part.writeBigUInt64LE(2000n, 0);
    part.writeBigUInt64LE(3000n, 8);
    part.writeUInt32LE(bytes.length, 16);
    kernel.memory.set(1000n, part);
    kernel.memory.set(2000n, Buffer.from(bytes.map(mirrored)));
    kernel.memory.set(3000n, Buffer.alloc(bytes.length));
    assert.deepEqual(await kernel.ioctl(SPI_MESSAGE_1, 1000n), { error: 0, result: bytes.length });
    return Buffer.from(kernel.memory.get(3000n)?.map(mirrored) ?? []).subarray(1);
  };
  const isReady = async (): Promise<boolean> => (await transfer(Buffer.from([2, 0])))[0] === 1;
  await transfer(Buffer.concat([Buffer.from([1]), GET_FIRMWARE]));
  await untilReady(isReady);
  assert.deepEqual(await transfer(Buffer.concat([Buffer.from([3]), Buffer.alloc(6)])), ACK);
  await untilReady(isReady);
  assert.deepEqual(await transfer(Buffer.concat([Buffer.from([3]), Buffer.alloc(13)])), FIRMWARE);
  kernel.memory.set(1000n, Buffer.from([1]));
  assert.equal((await kernel.ioctl(SPI_WRITE_LSB_FIRST, 1000n)).error, ERRNO.EINVAL);
  chip.power(false);
  assert.deepEqual(await transfer(Buffer.from([2, 0])), Buffer.from([0xff]));
});

test('a transfer on a blocked bus ends when the caller is interrupted', async () => {
  const chip = makeChip();
  const kernel = new Kernel(i2cDevice([new Pn532OnI2c(chip, 0x24)]));
  await kernel.open();
  await kernel.ioctl(I2C_SLAVE, 0x24n);
  chip.fail({ kind: 'hang', after: 0, times: 1 });
  assert.equal(await kernel.write(GET_FIRMWARE), 0);
  const hanging = kernel.read(1);
  const interrupted = Buffer.alloc(8);
  interrupted.writeBigUInt64LE(kernel.unique);
  await kernel.request(INTERRUPT, interrupted);
  assert.equal((await hanging).error, ERRNO.EINTR);
  const second = kernel.read(1);
  chip.fail(undefined);
  assert.equal((await second).error, 0);
});
