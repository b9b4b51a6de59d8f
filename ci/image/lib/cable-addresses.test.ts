import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CABLE_NETWORKS, SHARED_NAME } from '../../../agent/src/base/cable.ts';
import { ROOT } from '../../lib/places.ts';

/** What overlay/usr/lib/vitrine/cable-addresses chooses on a device with these files. */
function chosen(files: Record<string, string>): { network: string; rules: string; name: string } {
  const root = mkdtempSync(join(tmpdir(), 'vitrine-cable-'));
  try {
    for (const folder of ['run/vitrine', 'etc', 'bin']) mkdirSync(join(root, folder), { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
    // In place of hostname(1), which would rename this computer.
    const hostname = `#!/bin/sh\necho "$1" >"${root}/name"\n`;
    writeFileSync(join(root, 'bin/hostname'), hostname, { mode: 0o755 });
    const { status, stderr } = spawnSync('sh', [join(ROOT, 'overlay/usr/lib/vitrine/cable-addresses')], {
      env: { PATH: `${root}/bin:${process.env.PATH}`, VITRINE_ROOT: root },
      timeout: 60_000,
    });
    assert.equal(status, 0, String(stderr));
    const read = (name: string) => readFileSync(join(root, name), 'utf8');
    return {
      network: read('run/systemd/network/50-vitrine-gadget0.network.d/address.conf'),
      rules: read('run/vitrine/cable.nft'),
      name: read('name').trim(),
    };
  } finally {
    rmSync(root, { recursive: true });
  }
}

const SERIAL = 'run/vitrine/serial';

test('a serial number gives the same name and network at every start', () => {
  const { network, rules, name } = chosen({ [SERIAL]: '10000000ABCDEF01\n' });
  assert.equal(name, `${SHARED_NAME}-cdef01`);
  const [, device = ''] = /^Address=(\S+)\/30$/m.exec(network) ?? [];
  const bytes = device.split('.').map(Number);
  const last = bytes[3] ?? 0;
  assert.equal(last % 4, 1, 'the first address of its network');
  const host = [...bytes.slice(0, 3), last + 1].join('.');
  assert.match(network, new RegExp(`^Destination=${host}/32$`, 'm'));
  const [, option = ''] = /^SendOption=121:string:(.*)$/m.exec(network) ?? [];
  const sent = option
    .split('\\x')
    .slice(1)
    .map((digits) => Number.parseInt(digits, 16));
  // RFC 3442: width of the destination, destination, router.
  assert.deepEqual(sent, [32, 10, 55, 77, 1, ...bytes]);
  assert.ok(rules.includes(`dnat to ${host}\n`) && rules.includes(`snat to ${device}\n`));
  assert.deepEqual(
    chosen({ [SERIAL]: '10000000ABCDEF01\n', 'etc/machine-id': 'f'.repeat(32) }).network,
    network,
  );
});

test('the networks of 60 devices are different, and belong to the cable', () => {
  const cable = new BlockList();
  for (const [address, prefix] of CABLE_NETWORKS.map((one) => one.split('/'))) {
    cable.addSubnet(String(address), Number(prefix));
  }
  const networks = Array.from({ length: 60 }, (_, index) => {
    const { network } = chosen({ [SERIAL]: `VIRT-${index}\n` });
    return /^Address=(\S+)\/30$/m.exec(network)?.[1] ?? '';
  });
  assert.ok(
    networks.every((address) => cable.check(address)),
    networks.join(' '),
  );
  assert.equal(new Set(networks).size, networks.length);
});

test('without a serial number both follow from the machine-id, which the name does not tell', () => {
  const id = '0123456789abcdef0123456789abcdef';
  const one = chosen({ 'etc/machine-id': `${id}\n` });
  const other = chosen({ 'etc/machine-id': `${'9'.repeat(32)}\n` });
  assert.match(one.name, /^vitrine-[0-9a-f]{6}$/);
  assert.notEqual(one.name, other.name);
  assert.notEqual(one.network, other.network);
  assert.ok(!id.includes(one.name.slice('vitrine-'.length)));
});

test('a serial number of other characters gives a valid name', () => {
  assert.equal(chosen({ [SERIAL]: 'A/1\n' }).name, 'vitrine-a1');
  assert.match(chosen({ [SERIAL]: '.:+\n' }).name, /^vitrine-[0-9a-f]{6}$/);
});
