import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const NAMESPACE = `vitrine-test-${process.pid}`;
const module = fileURLToPath(new URL('./network.ts', import.meta.url));
const resource = fileURLToPath(new URL('../resources/network/network.ts', import.meta.url));

/** Prints every event of its network namespace, one JSON line each. */
const WATCHER = `
  import { EventBus } from ${JSON.stringify(fileURLToPath(new URL('../events/bus.ts', import.meta.url)))};
  import { Network } from ${JSON.stringify(resource)};
  import { linuxNetwork } from ${JSON.stringify(module)};
  import { SystemBus } from ${JSON.stringify(fileURLToPath(new URL('./dbus/bus.ts', import.meta.url)))};
  import { createLogger } from ${JSON.stringify(fileURLToPath(new URL('../base/logger.ts', import.meta.url)))};
  const log = createLogger('silent');
  const bus = new EventBus();
  const dbus = new SystemBus({ log, address: 'unix:path=/nonexistent' });
  const network = new Network({ bus, source: linuxNetwork({ dbus, log }) });
  bus.listen('network_changed', ({ payload }) => console.log(JSON.stringify(payload)));
  network.start();
  process.stdin.on('end', () => { network.stop(); dbus.stop(); }).resume();
  console.log(JSON.stringify(network.get()));
`;

const ip = (...args: string[]) => spawnSync('ip', args, { encoding: 'utf8' });
const made = ip('netns', 'add', NAMESPACE);
const skip = made.status === 0 ? false : 'network namespaces need root and iproute2';

test('reports interfaces and addresses as they come and go', { skip }, async (t) => {
  t.after(() => ip('netns', 'del', NAMESPACE));
  const args = ['netns', 'exec', NAMESPACE, process.execPath, '--input-type=module', '--eval', WATCHER];
  const watcher = spawn('ip', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => watcher.kill());
  const lines = createInterface({ input: watcher.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? 'null');
  assert.deepEqual((await next()).interfaces, []);

  const inside = (...words: string[]) => assert.equal(ip('-n', NAMESPACE, ...words).status, 0);
  inside('link', 'add', 'usb0', 'type', 'veth', 'peer', 'name', 'usb1');
  inside('link', 'set', 'usb1', 'up');
  inside('link', 'set', 'usb0', 'addrgenmode', 'none');
  inside('link', 'set', 'usb0', 'up');
  inside('address', 'add', '10.55.77.1/24', 'dev', 'usb0');
  // The kernel adds addresses to usb1 at any time; wait for ours.
  const addressesOf = (state: { interfaces: { name: string; addresses: string[] }[] }, name: string) =>
    state.interfaces.find((entry) => entry.name === name)?.addresses;
  let state = await next();
  while (addressesOf(state, 'usb0')?.[0] !== '10.55.77.1') state = await next();
  assert.ok(addressesOf(state, 'usb1'));

  inside('link', 'delete', 'usb0');
  while (state.interfaces.length > 0) state = await next();
  watcher.stdin.end();
  const [code] = await once(watcher, 'exit');
  assert.equal(code, 0);
});
