import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLogger } from '../base/logger.ts';
import { ServiceManager } from './notify.ts';

const skip = spawnSync('python3', ['--version']).error ? 'python3 makes the datagram socket' : false;

/** Like systemd: binds a datagram socket and passes a connected one to the service, as its second descriptor. */
const MANAGER = `
import os, socket, subprocess, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind('')
receiver.settimeout(60)
sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
sender.connect(receiver.getsockname())
def prepare():
    other, notify = os.dup(0), os.dup(sender.fileno())
    os.dup2(other, 3)
    os.dup2(notify, 4)
    os.environ['LISTEN_PID'] = str(os.getpid())
    os.execvp(sys.argv[1], sys.argv[1:])
service = subprocess.Popen(sys.argv[1:], preexec_fn=prepare, close_fds=False, stdin=subprocess.PIPE,
    env={**os.environ})
message = ''
count = 0
while message != 'STOPPING=1':
    message = receiver.recv(4096).decode()
    print(repr(message), flush=True)
    count += 1
    if count == 3:
        service.stdin.close()
print(service.wait())
`;

const SERVICE = `
  import { ServiceManager } from ${JSON.stringify(fileURLToPath(new URL('./notify.ts', import.meta.url)))};
  import { createLogger } from ${JSON.stringify(fileURLToPath(new URL('../base/logger.ts', import.meta.url)))};
  const manager = new ServiceManager({ log: createLogger('silent') });
  manager.ready('listens\\non 80');
  process.stdin.on('end', () => manager.stopping()).resume();
`;

test('notifies a real datagram socket: ready, watchdog, stopping', { skip }, async () => {
  const args = ['-c', MANAGER, process.execPath, '--input-type=module', '--eval', SERVICE];
  const env = { LISTEN_FDS: '2', LISTEN_FDNAMES: 'other:notify', WATCHDOG_USEC: '300000' };
  const manager = spawn('python3', args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const output = (await manager.stdout.setEncoding('utf8').toArray()).join('');
  const lines = output.trim().split('\n');
  assert.deepEqual(lines.slice(0, 3), [
    String.raw`'READY=1\nSTATUS=listens on 80'`,
    `'WATCHDOG=1'`,
    `'WATCHDOG=1'`,
  ]);
  assert.deepEqual(lines.slice(-2), [`'STOPPING=1'`, '0']);
});

test('does nothing outside of a unit, or with the descriptors of another process', () => {
  const log = createLogger('silent');
  for (const env of [
    {},
    { LISTEN_PID: '1', LISTEN_FDS: '1', LISTEN_FDNAMES: 'notify' },
    { LISTEN_PID: String(process.pid), LISTEN_FDS: '0', LISTEN_FDNAMES: 'notify' },
    { LISTEN_PID: String(process.pid), LISTEN_FDS: '9999', LISTEN_FDNAMES: `${'x:'.repeat(9000)}notify` },
  ]) {
    const manager = new ServiceManager({ log, env: { WATCHDOG_USEC: '1000000', ...env } });
    manager.ready('test');
    manager.stopping();
  }
});
