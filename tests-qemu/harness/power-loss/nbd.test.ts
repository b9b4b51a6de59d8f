import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { waitFor } from '../../../testing/wait.ts';
import { NbdServer } from './nbd.ts';
import { Random } from './random.ts';
import { VolatileDisk } from './volatile-disk.ts';

const SIZE = 4 * 2 ** 20;
const MIB = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), 'vitrine-nbd-'));
const base = join(folder, 'base.img');
const socket = join(folder, 'nbd.sock');
writeFileSync(base, Buffer.alloc(SIZE, 1));
after(() => rmSync(folder, { recursive: true }));

/** Runs QEMU's NBD client with commands of qemu-io(1). */
async function qemuIo(
  commands: string[],
  timeoutMs = 30_000,
): Promise<{ code: number | null; output: string }> {
  const args = ['-f', 'raw', '-t', 'writeback', ...commands.flatMap((line) => ['-c', line])];
  const child = spawn('qemu-io', [...args, `nbd+unix:///?socket=${socket}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  await once(child, 'close');
  return { code: child.exitCode, output };
}

async function served(work: (disk: VolatileDisk, server: NbdServer) => Promise<void>): Promise<void> {
  const disk = new VolatileDisk(base, join(folder, 'overlay.img'));
  const server = await NbdServer.start(disk, socket);
  try {
    await work(disk, server);
    assert.equal(server.failure, undefined);
  } finally {
    await server.close();
    disk.close();
  }
}

test('QEMU reads, writes and flushes; writes after the last flush do not survive a cut', async () => {
  await served(async (disk) => {
    const { code, output } = await qemuIo([
      'read -P 1 0 4M',
      'write -P 2 0 3M',
      'write -P 3 64k 512',
      'flush',
      'write -f -P 4 2M 4k',
      'read -P 3 64k 512',
      'read -P 4 2M 4k',
      'read -P 1 3M 1M',
    ]);
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /failed|error/i);
    disk.write(0, Buffer.alloc(MIB, 9));
    disk.cut(new Random(1), 'none');
    const left = disk.read(0, SIZE);
    assert.deepEqual(
      [left[0], left[64 * 1024], left[64 * 1024 + 512], left[2 * MIB], left[3 * MIB]],
      [2, 3, 2, 4, 1],
    );
  });
});

test('QEMU sends a flush only when its guest does', async () => {
  await served(async (disk, server) => {
    let unflushed = -1;
    server.freezeAfter(2, () => {
      unflushed = disk.unflushed;
    });
    // The third command is not answered, and nothing after it.
    const { code } = await qemuIo(['write -P 5 0 4k', 'write -P 6 8k 4k', 'flush', 'write -P 7 0 4k'], 3000);
    assert.equal(code, null, 'QEMU got an answer of a frozen disk');
    assert.equal(unflushed, 2);
    assert.equal(disk.unflushed, 2);
    assert.equal(disk.read(0, 1)[0], 5);
    server.thaw();
    assert.equal((await qemuIo(['flush', 'read -P 5 0 4k', 'read -P 6 8k 4k'])).code, 0);
    assert.equal(disk.unflushed, 0);
  });
});

test('an invalid client is disconnected and reported, the next one is served', async () => {
  const disk = new VolatileDisk(base, join(folder, 'overlay.img'));
  const server = await NbdServer.start(disk, socket);
  try {
    const client = connect(socket);
    client.on('error', () => undefined);
    client.write(Buffer.alloc(64, 0xee));
    await once(client.resume(), 'close');
    await waitFor(() => server.failure, { timeoutMs: 5000, what: 'the failure' });
    assert.match(String(server.failure), /handshake/);
    assert.equal((await qemuIo(['read -P 1 0 4k'])).code, 0);
  } finally {
    await server.close();
    disk.close();
  }
});
