import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lib/places.ts';

const SCRIPT = join(ROOT, 'overlay/usr/lib/vitrine/boot-deadline');
const CMDLINE = 'proc/cmdline';
const TRIAL = 'data/update/trial';
const CONFIRMED = 'run/vitrine/boot-confirmed';
const WAITS_FOR = 'run/vitrine/boot-waits-for';
/** A boot of slot b, which an update is trying. */
const TRIED: Readonly<Record<string, string>> = {
  [CMDLINE]: 'root=PARTLABEL=rootfs-b ro rauc.slot=B panic=5\n',
  'proc/uptime': '300.27 512.00\n',
  [TRIAL]: 'b\n',
};

/** Exit codes of the commands that the script calls; 0 if not named. */
type Codes = Readonly<Record<string, number>>;

/**
 * Runs the script with fake commands: the commands that it called, and the reason that it saved.
 * @param places what is no file, and the command that makes it
 */
function run(
  files: Readonly<Record<string, string>>,
  codes: Codes = {},
  places: Readonly<Record<string, 'mkdir -p' | 'mkfifo'>> = {},
): { called: string[]; saved: string } {
  const root = mkdtempSync(join(tmpdir(), 'vitrine-deadline-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), content);
    }
    for (const [name, make] of Object.entries(places)) {
      execFileSync('sh', ['-c', `${make} ${join(root, name)}`]);
    }
    const bin = join(root, 'bin');
    mkdirSync(bin);
    for (const name of ['rauc', 'fw_setenv', 'systemctl', 'sync', 'sleep']) {
      const state = 'ActiveState=failed\\nResult=exit-code\\n';
      const output = name === 'systemctl' ? `case $1 in show) printf '${state}' ;; esac` : ':';
      const log = `echo "${name} $*" >>${root}/called`;
      writeFileSync(join(bin, name), `#!/bin/sh\n${log}\n${output}\nexit ${codes[name] ?? 0}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const { status, stderr } = spawnSync('sh', [SCRIPT], {
      env: { PATH: `${bin}:${process.env.PATH}`, VITRINE_ROOT: root },
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.equal(status, codes.systemctl ?? 0, stderr);
    const read = (name: string) =>
      existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : '';
    return {
      called: read('called').replaceAll(`${root}/`, '').split('\n').filter(Boolean),
      saved: read('data/update/trial-failure'),
    };
  } finally {
    rmSync(root, { recursive: true });
  }
}

const REBOOT = [
  'systemctl --no-block reboot',
  'sleep 60',
  'systemctl --force reboot',
  'sleep 30',
  'systemctl --force --force reboot',
];

test('a slot that is being tried and not confirmed is given up with the reason', () => {
  const { called, saved } = run({ ...TRIED, [WAITS_FOR]: 'a painted frame: no browser\nmore\n' });
  assert.equal(
    saved,
    'unhealthy\nThe boot of slot b was not confirmed within 300 s: it waits for a painted frame: no browser.\n',
  );
  assert.deepEqual(called, [
    'sync data/update/trial-failure.new',
    'sync data/update',
    'rauc status mark-bad booted',
    ...REBOOT,
  ]);
});

test('folders and pipes in the place of its files do not stop it', () => {
  for (const make of ['mkdir -p', 'mkfifo'] as const) {
    const places = { 'data/update/trial-failure': make, 'data/update/trial-failure.new': make };
    const { called, saved } = run(TRIED, {}, places);
    assert.match(saved, /^unhealthy\n/);
    assert.equal(called.at(-1), REBOOT.at(-1));
    const { [TRIAL]: _, ...rest } = TRIED;
    assert.deepEqual(run({ ...rest, 'data/update/x': '' }, {}, { [TRIAL]: make }).called, []);
  }
});

test('without a word of the agent, the reason is the state of its unit', () => {
  for (const files of [TRIED, { ...TRIED, [WAITS_FOR]: '\n' }]) {
    assert.equal(
      run(files).saved.split('\n')[1],
      'The boot of slot b was not confirmed within 300 s: the agent did not run (ActiveState=failed Result=exit-code).',
    );
  }
});

test('the reason is one line of limited length', () => {
  const { saved } = run({ ...TRIED, [WAITS_FOR]: `a\tb\u001b[0m${'x'.repeat(5000)}` });
  assert.match(saved, /^unhealthy\nThe boot .* it waits for ab\[0mx+\.\n$/);
  assert.ok(saved.length < 500);
});

test('the slot is marked bad without RAUC, and the reboot follows if nothing else works', () => {
  const without = run(TRIED, { rauc: 1 }).called;
  assert.deepEqual(without.slice(-6), ['fw_setenv BOOT_B_LEFT 0', ...REBOOT]);
  const nothing = run(TRIED, { rauc: 1, fw_setenv: 1, sync: 1, systemctl: 1 });
  assert.deepEqual(nothing.called.slice(-5), REBOOT);
  assert.equal(nothing.saved, '');
});

test('nothing happens to a slot that is confirmed, or that no update is trying', () => {
  const without = (name: string) => Object.fromEntries(Object.entries(TRIED).filter(([key]) => key !== name));
  for (const files of [
    { ...TRIED, [CONFIRMED]: '' },
    { ...TRIED, [TRIAL]: 'a\n' },
    { ...TRIED, [TRIAL]: '' },
    without(TRIAL),
    { ...TRIED, [CMDLINE]: 'root=PARTLABEL=rootfs-b ro\n' },
  ]) {
    assert.deepEqual(run(files), { called: [], saved: '' });
  }
});
