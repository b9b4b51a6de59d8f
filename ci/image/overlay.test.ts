/** Checks values that several files of the overlay repeat, because independent programs read them. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MAX_USB_READERS } from '../../agent/src/nfc-reader/readers.ts';
import { MAX_HANDLES } from '../../agent/src/peripheral-io/handles.ts';
import { KINDS } from '../../agent/src/peripheral-io/protocol.ts';
import { ROOT } from '../lib/places.ts';

const OVERLAY = join(ROOT, 'overlay');
const UNITS = 'usr/lib/systemd/system';

function read(path: string): string {
  return readFileSync(join(OVERLAY, path), 'utf8');
}

/** The values of `define NAME = …` in the firewall's rules. */
function defined(name: string): string[] {
  const value = new RegExp(`^\\s*define ${name} = (.*)$`, 'm').exec(
    read('usr/lib/vitrine/firewall.nft'),
  )?.[1];
  assert.ok(value, `the firewall defines no ${name}`);
  return value.match(/[\w.]+/g) ?? [];
}

test('the firewall protects the ports that the agent listens on', () => {
  const start = /^ExecStart=(.*)$/m.exec(read(`${UNITS}/vitrine-agent.service`))?.[1] ?? '';
  const ports = [...start.matchAll(/ --listen(?:-https)? \[::\]:(\d+)/g)].map(([, port]) => port);
  assert.equal(ports.length, 2);
  assert.deepEqual(defined('management'), ports);
});

test('the firewall uses the id with which the kiosk user is created', () => {
  const id = /^u! kiosk (\d+) /m.exec(read('usr/lib/sysusers.d/vitrine.conf'))?.[1];
  assert.deepEqual(defined('kiosk'), [id]);
});

test('every interface that the firewall trusts is named and configured', () => {
  for (const name of defined('cable')) {
    assert.match(read(`usr/lib/systemd/network/50-vitrine-${name}.link`), new RegExp(`^Name=${name}$`, 'm'));
    assert.match(
      read(`usr/lib/systemd/network/50-vitrine-${name}.network`),
      new RegExp(`^Name=${name}$`, 'm'),
    );
  }
});

test('a plugged-in adapter cannot get the name of an interface that the firewall trusts', () => {
  for (const name of defined('cable')) {
    // Prefixes of the kernel's drivers and of udev's naming policies.
    assert.doesNotMatch(name, /^(?:usb|eth|wlan|wwan|en|wl|ww|ib|sl)/, name);
    const [, match = ''] = read(`usr/lib/systemd/network/50-vitrine-${name}.link`).split(/^\[Match\]$/m);
    assert.match(match, /^Driver=(?:g_ether|virtio_net)$/m, `${name} is matched by its driver`);
  }
  assert.ok(defined('cable').includes('gadget0'));
  assert.match(read('usr/lib/vitrine/gadget'), /^ *put functions\/ncm\.usb0\/ifname gadget%d$/m);
});

/** The threads that a unit's native calls get. */
function threadsOf(unit: string): number {
  const threads = Number(/^Environment=.*\bUV_THREADPOOL_SIZE=(\d+)$/m.exec(unit)?.[1]);
  const tasks = Number(/^TasksMax=(\d+)$/m.exec(unit)?.[1]);
  assert.ok(threads + 16 <= tasks, `${threads} of ${tasks} tasks`);
  return threads;
}

test('the NFC reader program has threads for all readers, for pcscd and for two buses', () => {
  assert.ok(threadsOf(read(`${UNITS}/vitrine-nfc.service`)) >= MAX_USB_READERS + 3);
});

test('each program for peripherals has a user, its device nodes, and threads for all that is open', () => {
  // And one that reads for each HID device.
  const unit = read(`${UNITS}/vitrine-peripheral@.service`);
  assert.ok(threadsOf(unit) > MAX_HANDLES);
  assert.match(unit, /^DevicePolicy=closed$/m);
  const users = read('usr/lib/sysusers.d/vitrine.conf');
  const rules = read('usr/lib/udev/rules.d/75-vitrine-peripherals.rules');
  const classes = { hid: ['hidraw'], serial: ['ttyACM', 'ttyUSB'], usb: ['usb_device'] };
  for (const kind of KINDS) {
    assert.match(users, new RegExp(`^u! peripheral-${kind} \\d+ `, 'm'));
    assert.match(rules, new RegExp(`GROUP="peripheral-${kind}", MODE="0660"$`, 'm'));
    const allowed = read(`${UNITS}/vitrine-peripheral@${kind}.service.d/50-devices.conf`);
    const nodes = [...allowed.matchAll(/^DeviceAllow=char-(\S+) rw$/gm)].map(([, name]) => name);
    assert.deepEqual(nodes, classes[kind]);
    assert.match(allowed, /^RestrictAddressFamilies=AF_UNIX(?: AF_NETLINK)?$/m);
  }
});

test('the presets enable exactly our units that have an [Install] section', () => {
  const presets = globSync('usr/lib/systemd/system-preset/50-*.preset', { cwd: OVERLAY })
    .map(read)
    .join('\n');
  const enabled = [...presets.matchAll(/^enable (vitrine-\S+)$/gm)].map(([, unit]) => unit);
  const units = globSync('vitrine-*.{path,service,socket,timer}', { cwd: join(OVERLAY, UNITS) }).filter(
    (unit) => /^\[Install\]$/m.test(read(join(UNITS, unit))),
  );
  assert.ok(units.length > 0);
  assert.deepEqual(enabled.sort(), units.sort());
});

test('our programs that units and udev rules call exist and are executable', () => {
  const callers = globSync(
    ['usr/lib/systemd/system/*.service', 'usr/lib/systemd/system/*.d/*.conf', 'usr/lib/udev/rules.d/*.rules'],
    { cwd: OVERLAY },
  );
  const called = callers
    .map(read)
    .flatMap((text) => [...text.matchAll(/(?:^Exec\w+=[^\s/]*|")(\/usr\/lib\/vitrine\/[\w-]+)(?=[\s"])/gm)])
    .map(([, path = '']) => path);
  assert.ok(called.length > 0);
  for (const path of new Set(called)) {
    const file = join(OVERLAY, path);
    assert.ok(existsSync(file), `${path} is missing`);
    assert.notEqual(statSync(file).mode & 0o111, 0, `${path} is not executable`);
  }
});
