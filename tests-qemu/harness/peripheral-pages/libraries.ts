/** A page with libraries from npm that drive peripherals, unchanged. */
import ReceiptPrinterEncoder from '@point-of-sale/receipt-printer-encoder';
import WebHIDBarcodeScanner from '@point-of-sale/webhid-barcode-scanner';
import WebSerialReceiptPrinter from '@point-of-sale/webserial-receipt-printer';
import WebUSBReceiptPrinter from '@point-of-sale/webusb-receipt-printer';
import { ESPLoader, Transport } from 'esptool-js';
import { bytesOf, expose, hexOf } from './tools.ts';

const EVENT_MS = 20_000;
/** Requests its status of a printer (ESC/POS, DLE EOT 1). */
const REQUEST = Uint8Array.of(0x10, 0x04, 0x01);
const FLASH_BLOCK = 1024;
const events: string[] = [];

/** Resolves with the argument of a library's next event. */
async function once<T>(
  emitter: { addEventListener(name: string, listener: (value: T) => void): void },
  name: string,
): Promise<T> {
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no event ${name}`)), EVENT_MS);
    emitter.addEventListener(name, (value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}

let scans: Promise<unknown> = Promise.resolve();

/** Prints a receipt and asks for the printer's status. */
async function print(printer: WebUSBReceiptPrinter | WebSerialReceiptPrinter): Promise<unknown> {
  const connected = once<{ type: string }>(printer, 'connected');
  await printer.connect();
  const { type } = await connected;
  const encoder = new ReceiptPrinterEncoder({ language: 'esc-pos', columns: 42 });
  const receipt = encoder.initialize().line('Receipt 1').rule().line('Total 1.23').cut().encode();
  await printer.listen();
  const status = once<ArrayBufferView>(printer, 'data');
  await printer.print(receipt);
  await printer.print(REQUEST);
  const answer = hexOf(await status);
  await printer.disconnect();
  return { type, receipt: hexOf(receipt), answer };
}

expose(
  {
    /** Connects to a scanner; `scanned` gives the next bar code. */
    scanner: async () => {
      const scanner = new WebHIDBarcodeScanner();
      const connected = once<{ productName: string }>(scanner, 'connected');
      scans = once(scanner, 'barcode');
      await scanner.connect();
      return (await connected).productName;
    },
    scanned: async () => {
      const scan = await scans;
      return typeof scan === 'object' && scan !== null && 'value' in scan && 'symbology' in scan
        ? [scan.value, scan.symbology]
        : null;
    },
    printByUsb: async () => await print(new WebUSBReceiptPrinter()),
    printBySerial: async () => await print(new WebSerialReceiptPrinter({ baudRate: 115_200 })),
    /** Finds an ESP32-C3, reads its address and writes its flash. */
    flash: async (offset: number, image: string) => {
      const port = await navigator.serial.requestPort({ filters: [{ usbVendorId: 0x303a }] });
      const transport = new Transport(port);
      const terminal = { clean: () => undefined, writeLine: () => undefined, write: () => undefined };
      const loader = new ESPLoader({ transport, baudrate: 115_200, terminal });
      await loader.connect();
      loader.FLASH_WRITE_SIZE = FLASH_BLOCK;
      await loader.flashSpiAttach(0);
      const bytes = bytesOf(image);
      const blocks = await loader.flashBegin(bytes.length, offset);
      for (let block = 0; block < blocks; block += 1) {
        await loader.flashBlock(bytes.slice(FLASH_BLOCK * block, FLASH_BLOCK * (block + 1)), block, 10_000);
      }
      // The ROM gives the digest as digits; the client takes them for bytes.
      const digest = new TextDecoder().decode(bytesOf(await loader.flashMd5sum(offset, bytes.length)));
      const mac = await loader.chip.readMac(loader);
      await transport.disconnect();
      return { chip: loader.chip.CHIP_NAME, mac, digest };
    },
  },
  events,
);
