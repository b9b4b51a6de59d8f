/** The model of the ESP32-C3's boot loader against Espressif's own client, on a serial port in this process. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ESPLoader, Transport } from 'esptool-js';
import { EspRom, MAC } from '../serial/esp-rom.ts';

const CHUNK_BYTES = 7;

/** A port of Web Serial that the model answers, in small parts. */
function portOf(rom: EspRom): ConstructorParameters<typeof Transport>[0] {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, output) => {
      const answer = rom.receive(Buffer.from(chunk));
      for (let at = 0; at < answer.length; at += CHUNK_BYTES) {
        output.enqueue(new Uint8Array(answer.subarray(at, at + CHUNK_BYTES)));
      }
    },
  });
  return Object.assign(new EventTarget(), {
    ...{ readable, writable, connected: true, onconnect: null, ondisconnect: null },
    open: async () => undefined,
    close: async () => undefined,
    forget: async () => undefined,
    setSignals: async () => undefined,
    getSignals: async () => ({
      dataCarrierDetect: true,
      clearToSend: true,
      ringIndicator: false,
      dataSetReady: true,
    }),
    getInfo: () => ({ usbVendorId: 0x303a, usbProductId: 0x1001 }),
  });
}

test('esptool-js finds the chip and its address, writes the flash and checks it', {
  timeout: 60_000,
}, async () => {
  const rom = new EspRom();
  const terminal = { clean: () => undefined, writeLine: () => undefined, write: () => undefined };
  const transport = new Transport(portOf(rom));
  const loader = new ESPLoader({ transport, baudrate: 115_200, terminal });
  await loader.connect();
  assert.equal(loader.chip.CHIP_NAME, 'ESP32-C3');
  assert.equal(await loader.chip.readMac(loader), MAC);

  // With bytes that SLIP must escape.
  const image = Buffer.alloc(2500, 0xc0);
  image.set([0xe9, 0xdb, 0xdc, 0xdd], 700);
  loader.FLASH_WRITE_SIZE = 1024;
  await loader.flashSpiAttach(0);
  const blocks = await loader.flashBegin(image.length, 0x1000);
  assert.equal(blocks, 3);
  for (let block = 0; block < blocks; block += 1) {
    await loader.flashBlock(new Uint8Array(image.subarray(1024 * block, 1024 * (block + 1))), block, 3000);
  }
  const md5 = createHash('md5').update(image).digest();
  // The ROM gives the digest as digits; the client takes them for bytes.
  const digest = await loader.flashMd5sum(0x1000, image.length);
  assert.equal(Buffer.from(digest, 'hex').toString(), md5.toString('hex'));
  assert.deepEqual(rom.take().subarray(0x1000, 0x1000 + image.length), image);

  // A block with a wrong check sum, and one beyond the end, are refused.
  const wrong = loader.command(3, new Uint8Array([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5]), 1);
  assert.deepEqual([...(await wrong)[1].subarray(0, 2)], [1, 7]);
  await assert.rejects(loader.flashBegin(1024, 64 * 1024), /status 1,6/);
});
