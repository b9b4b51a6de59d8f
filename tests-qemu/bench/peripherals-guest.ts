/**
 * Runs on the device, for the benchmark of peripherals: `node bench.cjs hid NODE GROUPS OF_EACH` or `node bench.cjs serial NODE
 * BYTES`. The native modules alone do what the page does (peripheral-pages/), with the same device. Prints one line of JSON: of
 * each group the time of one echo, or the time of all bytes to and fro, in ms.
 */
import { HIDAsync, setDriverType } from 'node-hid';
import { SerialPort } from 'serialport';

const BAUD = 115_200;
const CHUNK = 4096;
const REPORT = [0, 1, 2, 3, 4, 5, 6, 7, 8];

const [what = '', node = '', ...counts] = process.argv.slice(2);

async function hidTimes(groups: number, ofEach: number): Promise<number[]> {
  setDriverType('hidraw');
  const device = await HIDAsync.open(node);
  let received = (): void => undefined;
  device.on('data', () => received());
  const times: number[] = [];
  for (let group = 0; group < groups; group += 1) {
    const begun = performance.now();
    for (let n = 0; n < ofEach; n += 1) {
      const echo = new Promise<void>((resolve) => {
        received = resolve;
      });
      await device.write(REPORT);
      await echo;
    }
    times.push((performance.now() - begun) / ofEach);
  }
  await device.close();
  return times;
}

async function serialTime(bytes: number): Promise<number> {
  const port = new SerialPort({ path: node, baudRate: BAUD, autoOpen: false });
  await new Promise<void>((resolve, reject) => {
    port.open((error) => (error ? reject(error) : resolve()));
  });
  const sent = Buffer.alloc(bytes, 0x5a);
  const begun = performance.now();
  const all = Promise.withResolvers<void>();
  let left = bytes;
  port.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left <= 0) all.resolve();
  });
  for (let at = 0; at < bytes; at += CHUNK) {
    await new Promise<void>((resolve, reject) => {
      port.write(sent.subarray(at, at + CHUNK), (error) => (error ? reject(error) : resolve()));
    });
  }
  await all.promise;
  const time = performance.now() - begun;
  await new Promise((resolve) => port.close(resolve));
  return time;
}

const [first = 0, second = 0] = counts.map(Number);
const measured = async (): Promise<number[]> =>
  what === 'hid' ? await hidTimes(first, second) : [await serialTime(first)];
void measured().then((times) => {
  console.log(JSON.stringify(times));
  process.exit(0);
});
