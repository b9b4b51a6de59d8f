import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { waitFor } from '../../testing/wait.ts';
import { tcg } from './acceleration.ts';
import { Machine } from './machine.ts';
import type { Program } from './program.ts';

/** Node in place of QEMU: U-Boot's first stage crashes, and the boot goes on after a reset. */
const CRASHES_ONCE = `
  const { appendFileSync } = require('node:fs');
  const args = process.argv.join(' ');
  const [, monitor] = /unix:([^,]+)/.exec(args);
  const [, console] = /id=console,path=([^ ]+)/.exec(args);
  appendFileSync(console, 'U-Boot SPL 2025.01\\nInvalid Opcode\\n### ERROR ### Please RESET the board ###\\n');
  require('node:net').createServer((peer) => {
    peer.write('{"QMP": {}}\\r\\n');
    peer.on('data', (chunk) => {
      for (const line of String(chunk).trim().split('\\n')) {
        const { execute, id } = JSON.parse(line);
        if (execute === 'system_reset') appendFileSync(console, 'U-Boot SPL 2025.01\\nU-Boot 2025.01\\n');
        peer.write(JSON.stringify({ return: {}, id }) + '\\r\\n');
        if (execute === 'quit') process.exit();
      }
    });
  }).listen(monitor);
`;

test('a machine whose firmware has crashed is reset', { timeout: 60_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-machine-'));
  t.after(() => rm(folder, { recursive: true }));
  const system: Program = { file: process.execPath, args: ['-e', CRASHES_ONCE, '--'], env: process.env };
  const console = join(folder, 'console');
  const settings = {
    qemu: { version: '11.1.2', system, image: system },
    acceleration: tcg('a test'),
    firmware: '',
    disk: '',
    diskCache: 'unsafe' as const,
    console,
    monitors: [join(folder, 'qmp')],
    ports: [],
    apiPort: 1,
    httpsPort: 2,
    screen: 'none' as const,
    serialNumber: '',
  };
  const machine = await Machine.start(settings, join(folder, 'log'));
  t.after(() => machine.kill());
  const done = new AbortController();
  const watching = machine.watchBoot(done.signal);
  await waitFor(async () => (await readFile(console, 'utf8')).endsWith('\nU-Boot 2025.01\n'), {
    timeoutMs: 30_000,
    what: 'the boot to go on',
  });
  done.abort();
  await assert.rejects(watching, { name: 'AbortError' });
});
