/** A page for serial ports, written from the standard only (https://wicg.github.io/serial/). */
import { expose, pattern, present } from './tools.ts';

const CHUNK = 4096;
const QUIET_MS = 500;
const events: string[] = [];
let port: SerialPort | undefined;

if ('serial' in navigator) {
  for (const type of ['connect', 'disconnect'] as const) {
    navigator.serial.addEventListener(type, () => events.push(type));
  }
}

async function send(bytes: Uint8Array): Promise<void> {
  const writer = present(present(port, 'port').writable, 'stream').getWriter();
  try {
    for (let at = 0; at < bytes.length; at += CHUNK) await writer.write(bytes.slice(at, at + CHUNK));
  } finally {
    writer.releaseLock();
  }
}

/** Gives what the port receives to `take` until that returns true. */
async function receive(take: (bytes: Uint8Array) => boolean): Promise<void> {
  const reader = present(present(port, 'port').readable, 'stream').getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new Error('the stream has ended');
      if (take(value)) return;
    }
  } finally {
    reader.releaseLock();
  }
}

/** Sends so many bytes to a model that gives them back. @returns how many have come back as they were, and the time in ms */
async function echo(count: number): Promise<{ same: number; ms: number }> {
  const sent = pattern(count);
  let at = 0;
  let same = 0;
  const begun = performance.now();
  await Promise.all([
    send(sent),
    receive((bytes) => {
      for (const byte of bytes) {
        if (byte === sent[at]) same += 1;
        at += 1;
      }
      return at >= count;
    }),
  ]);
  return { same, ms: performance.now() - begun };
}

expose(
  {
    found: async () => {
      if (!('serial' in navigator)) return null;
      return (await navigator.serial.getPorts()).map((each) => each.getInfo());
    },
    requested: async (filters: SerialPortFilter[]) =>
      (await navigator.serial.requestPort({ filters })).getInfo(),
    open: async (baudRate: number) => {
      [port] = await navigator.serial.getPorts();
      await present(port, 'port').open({ baudRate });
    },
    isOpen: async () => (port?.readable ?? null) !== null,
    close: async () => await port?.close(),
    /** Throws away what comes until nothing has come for a while. */
    settle: async () => {
      const reader = present(present(port, 'port').readable, 'stream').getReader();
      const quiet = (): Promise<'quiet'> =>
        new Promise((resolve) => setTimeout(() => resolve('quiet'), QUIET_MS));
      for (;;) {
        const got = await Promise.race([reader.read(), quiet()]);
        if (got === 'quiet' || got.done) break;
      }
      await reader.cancel();
      reader.releaseLock();
    },
    /** Sends a line and gives the line that comes back. */
    line: async (text: string) => {
      let got = '';
      const decoder = new TextDecoder();
      await Promise.all([
        send(new TextEncoder().encode(`${text}\r\n`)),
        receive((bytes) => {
          got += decoder.decode(bytes, { stream: true });
          return got.endsWith('\r\n');
        }),
      ]);
      return got.slice(0, -2);
    },
    echo,
    echoForever: async () => {
      for (;;) {
        // Between two of them, the port may have been taken away.
        if (!port?.readable) throw new DOMException('the port is closed', 'InvalidStateError');
        await echo(CHUNK);
      }
    },
    signals: async (signals: SerialOutputSignals) => {
      const opened = present(port, 'port');
      await opened.setSignals(signals);
      return await opened.getSignals();
    },
  },
  events,
);
