import assert from 'node:assert/strict';
import { openSync } from 'node:fs';
import { test } from 'node:test';
import { type IPty, spawn } from '@lydell/node-pty';
import { createLogger } from '../base/logger.ts';
import { Readiness } from '../base/readiness.ts';
import { openSerialPort } from '../links/serial/port.ts';
import type { SerialLine } from '../links/serial/pump.ts';
import { openSerialDevice, VirtioPort } from './serial-device.ts';

/** A pseudo terminal in its cooked default mode: the test is its master. */
async function openPty(): Promise<{ pty: IPty; path: string }> {
  const pty = spawn('sh', ['-c', 'tty; exec sleep 600'], {});
  const { promise, resolve } = Promise.withResolvers<string>();
  let said = '';
  const listener = pty.onData((text) => {
    said += text;
    const path = /^(\/dev\/pts\/\d+)\r?\n/.exec(said)?.[1];
    if (path) resolve(path);
  });
  const path = await promise;
  listener.dispose();
  return { pty, path };
}

/** Collects text and waits for conditions on it. */
function collector() {
  let text = '';
  const waiting: (() => void)[] = [];
  return {
    add(more: string) {
      text += more;
      for (const look of waiting) look();
    },
    async until(holds: (text: string) => boolean): Promise<string> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => {
        if (holds(text)) resolve();
      };
      waiting.push(look);
      look();
      await promise;
      return text;
    },
  };
}

function open(path: string, stallMs: number) {
  const told = collector();
  let line: SerialLine | undefined;
  const port = openSerialPort({
    path,
    log: createLogger('silent'),
    openDevice: openSerialDevice,
    stallMs,
    handler: {
      onOpen: (opened) => {
        line = opened;
        told.add('<open>');
      },
      onData: (bytes) => told.add(bytes.toString('latin1')),
      onClose: () => told.add('<close>'),
    },
  });
  return { port, write: async (bytes: Buffer | string) => await line?.write(bytes), told };
}

test('a tty carries any bytes both ways unchanged, and its end is noticed', { timeout: 60_000 }, async () => {
  const { pty, path } = await openPty();
  const master = collector();
  pty.onData((text) => master.add(text));
  const { port, write, told } = open(path, 10_000);
  try {
    await told.until((text) => text === '<open>');
    // Each of these means something to a terminal that is not in raw mode.
    pty.write('a\u0003b\u0004c\rd\u0011\u0013\u007f\n');
    await told.until((text) => text === '<open>a\u0003b\u0004c\rd\u0011\u0013\u007f\n');
    assert.equal(await write('x\n\u0003y\r\n'), true);
    assert.equal(await master.until((text) => text.endsWith('y\r\n')), 'x\n\u0003y\r\n', 'raw, and no echo');
    const line = `${'0123456789'.repeat(30_000)}\n`;
    const sent = write(line);
    assert.equal((await master.until((text) => text.endsWith('9\n'))).length, line.length + 6);
    assert.equal(await sent, true);
    pty.kill('SIGKILL');
    await told.until((text) => text.endsWith('<close>'));
  } finally {
    await port.close();
    pty.kill('SIGKILL');
  }
});

test('a tty that nobody reads ends the session and does not keep the port from closing', {
  timeout: 60_000,
}, async () => {
  const { pty, path } = await openPty();
  const { port, write, told } = open(path, 100);
  try {
    await told.until((text) => text === '<open>');
    pty.pause();
    assert.equal(await write(Buffer.alloc(1_000_000, 'x')), false);
    await told.until((text) => text === '<open><close>');
    pty.resume();
    await told.until((text) => text === '<open><close><open>');
  } finally {
    await port.close();
    pty.kill('SIGKILL');
  }
});

test('what is no character device is refused', async () => {
  await assert.rejects(openSerialDevice(import.meta.filename), /no character device/);
  await assert.rejects(openSerialDevice('/dev/there-is-no-such-line'), /ENOENT/);
});

test('a request that was there before the host was seen is told as readable', async () => {
  class SilentPoller {
    on(): void {}
    poll(): void {}
    stop(): void {}
  }
  const fd = openSync('/dev/urandom', 'r');
  const port = new VirtioPort(fd, new Readiness(new SilentPoller()));
  try {
    assert.equal(await port.presence(), 'here');
    await new Promise<void>((resolve) => port.watch({ readable: true, writable: false }, resolve));
    assert.equal(port.read(Buffer.alloc(8192)), 4096);
  } finally {
    await port.close();
  }
});
