import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ROOT } from '../lib/places.ts';

let root = '';

/** Writes a file of the tree and creates its folders. */
function put(path: string, text = '', mode = 0o644): void {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  chmodSync(full, mode);
}

function link(path: string, target: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(target, join(root, path));
}

/** Runs one of the two scripts on the tree. */
function run(
  script: string,
  ...options: string[]
): { status: number | null; stdout: string; stderr: string } {
  const program = join(ROOT, 'board/common', script);
  const { status, stdout, stderr } = spawnSync(program, [...options, root], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

/** Names that browsers report and the time zone database has replaced. */
const OLD_ZONES = (
  'Africa/Asmera America/Buenos_Aires America/Catamarca America/Cordoba America/Godthab America/Indianapolis ' +
  'America/Jujuy America/Louisville America/Mendoza Asia/Calcutta Asia/Katmandu Asia/Rangoon Asia/Saigon ' +
  'Atlantic/Faeroe Europe/Kiev Pacific/Enderbury Pacific/Ponape Pacific/Truk'
).split(' ');

// A valid tree. A getty unit and the getty generator exist but are masked.
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vitrine-root-'));
  put(
    'etc/passwd',
    'root:x:0:0:root:/root:/bin/sh\nkiosk:x:800:800::/:/usr/sbin/nologin\nbin:*:2:2::/bin:/bin/sh\n',
  );
  put('etc/shadow', 'root:*:::::::\nkiosk:!*:::::::\n', 0o600);
  put('etc/machine-id');
  put('etc/ssl/certs/one.pem', '-----BEGIN CERTIFICATE-----\n');
  put('usr/bin/mount', 'x', 0o755);
  put('usr/bin/openssl', '\0-----BEGIN PRIVATE KEY-----\0', 0o755);
  put('usr/lib/systemd/system/getty@.service');
  put('usr/lib/systemd/system-generators/systemd-getty-generator', 'x', 0o755);
  link('etc/systemd/system-generators/systemd-getty-generator', '/dev/null');
  link('etc/systemd/system/autovt@.service', '/dev/null');
  link('etc/systemd/system/getty-static.service', '/dev/null');
  link('usr/lib/systemd/system/getty.target.wants/getty-static.service', '../getty-static.service');
  link('usr/lib/systemd/system/multi-user.target.wants/getty.target', '../getty.target');
  for (const zone of ['UTC', ...OLD_ZONES]) put(`usr/share/zoneinfo/${zone}`, 'TZif2');
  mkdirSync(join(root, 'tmp'));
  chmodSync(join(root, 'tmp'), 0o1777);
});
afterEach(() => rmSync(root, { recursive: true }));

test('a valid tree passes without output', () => {
  assert.deepEqual(run('check-root.sh'), { status: 0, stdout: '', stderr: '' });
});

const KEY = '-----BEGIN EC PRIVATE KEY-----\nabc\n';
const violations: [string, () => void, RegExp][] = [
  ['a setuid program', () => put('usr/bin/su', 'x', 0o4755), /setuid.*: \/usr\/bin\/su$/m],
  [
    'a database without old time zones',
    () => rmSync(join(root, 'usr/share/zoneinfo/Asia/Calcutta')),
    /no data for the time zone: Asia\/Calcutta$/m,
  ],
  [
    'a setgid program',
    () => put('usr/sbin/unix_chkpwd', 'x', 0o2755),
    /setuid.*: \/usr\/sbin\/unix_chkpwd$/m,
  ],
  ['no passwd', () => rmSync(join(root, 'etc/passwd')), /missing or empty: \/etc\/passwd/],
  [
    'root without a password',
    () => put('etc/shadow', 'root::::::::\nkiosk:*::\n'),
    /not locked: root in \/etc\/shadow/,
  ],
  [
    'root with a password',
    () => put('etc/shadow', 'root:$6$a$b:::::::\nkiosk:*::\n'),
    /not locked: root in \/etc\/shadow/,
  ],
  [
    'an empty password in passwd',
    () => put('etc/passwd', 'root::0:0::/:/bin/sh\n'),
    /not locked: root in \/etc\/passwd/,
  ],
  ['shadow without root', () => put('etc/shadow', 'kiosk:*::\n'), /to which \/etc\/passwd refers: root$/m],
  [
    'a second root',
    () => put('etc/passwd', 'root:*:0:0::/:/bin/sh\ntoor:*:0:0::/:/bin/sh\n'),
    /rights of root: toor/,
  ],
  ['an ssh server', () => put('usr/sbin/sshd', 'x', 0o755), /remote logins: \/usr\/sbin\/sshd/],
  [
    'a telnet server of busybox',
    () => link('usr/sbin/telnetd', '../bin/busybox'),
    /remote logins: \/usr\/sbin\/telnetd/,
  ],
  [
    'a host key',
    () => put('etc/ssh/ssh_host_rsa_key.pub'),
    /remote login: \/etc\/ssh\/ssh_host_rsa_key\.pub/,
  ],
  [
    'an authorized key',
    () => put('root/.ssh/authorized_keys'),
    /remote login: \/root\/\.ssh\/authorized_keys/,
  ],
  [
    'a getty',
    () => link('etc/systemd/system/getty.target.wants/serial-getty@ttyS0.service', '/x'),
    /console: .*serial-getty@ttyS0/,
  ],
  [
    'a debug shell',
    () => link('etc/systemd/system/sysinit.target.wants/debug-shell.service', '/x'),
    /console: .*debug-shell/,
  ],
  [
    'the getty generator',
    () => rmSync(join(root, 'etc/systemd/system-generators/systemd-getty-generator')),
    /every console a login: systemd-getty-generator/,
  ],
  [
    'logind’s getty',
    () => rmSync(join(root, 'etc/systemd/system/autovt@.service')),
    /logind starts it: autovt@\.service/,
  ],
  [
    'a forced rescue shell',
    () =>
      put('etc/systemd/system/rescue.service.d/x.conf', '[Service]\nEnvironment=SYSTEMD_SULOGIN_FORCE=1\n'),
    /root shell: \/etc\/systemd\/system\/rescue/,
  ],
  ['a file that anybody may write', () => put('usr/lib/x', '', 0o666), /anybody may write: \/usr\/lib\/x/],
  ['a folder that anybody may write', () => chmodSync(join(root, 'tmp'), 0o777), /no sticky bit: \/tmp/],
  [
    'a private key',
    () => put('etc/ssl/server.pem', `-----BEGIN CERTIFICATE-----\n${KEY}`),
    /private key: \/etc\/ssl\/server\.pem/,
  ],
  ['a machine-id', () => put('etc/machine-id', `${'a'.repeat(32)}\n`), /not empty: \/etc\/machine-id/],
  [
    'a random seed',
    () => put('var/lib/systemd/random-seed', 'x'),
    /one device: \/var\/lib\/systemd\/random-seed/,
  ],
];
for (const [what, violate, expected] of violations) {
  test(`${what} is rejected`, () => {
    violate();
    const { status, stderr } = run('check-root.sh');
    assert.equal(status, 1);
    assert.match(stderr, expected);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
  });
}

test('a masked getty template covers its instances', () => {
  link('etc/systemd/system/serial-getty@.service', '/dev/null');
  link('etc/systemd/system/getty.target.wants/serial-getty@ttyS0.service', '/x');
  assert.equal(run('check-root.sh').status, 0);
});

test('a missing shadow file is reported for every user whose password should be there', () => {
  rmSync(join(root, 'etc/shadow'));
  assert.match(run('check-root.sh').stderr, /refers: root\n.*refers: kiosk\n/);
});

test('all problems are reported at once', () => {
  put('usr/bin/su', 'x', 0o4755);
  put('usr/lib/x', '', 0o666);
  assert.equal(run('check-root.sh').stderr.trim().split('\n').length, 2);
});

test('sealing removes the bits, keeps everything else and runs the check', () => {
  put('usr/bin/su', 'content', 0o4751);
  const before = statSync(join(root, 'usr/bin/su'));
  const { status, stdout } = run('seal-root.sh');
  assert.match(stdout, /\/usr\/bin\/su loses/);
  assert.equal(status, 0);
  const after = statSync(join(root, 'usr/bin/su'));
  assert.equal(after.mode & 0o7777, 0o751);
  assert.equal(after.mtimeMs, before.mtimeMs);
  put('usr/lib/x', '', 0o666);
  assert.equal(run('seal-root.sh').status, 1);
});

// Only root can set capabilities. Sealing uses the list of --privileged.
const setcap = spawnSync('setcap', ['-h'], { timeout: 10_000 });
const skip = (process.getuid?.() !== 0 || setcap.error !== undefined) && 'not root, or no setcap here';
test('file capabilities are found and removed', { skip }, (context) => {
  put('usr/bin/ping', 'x', 0o755);
  const set = spawnSync('setcap', ['cap_net_raw+ep', join(root, 'usr/bin/ping')], { timeout: 10_000 });
  if (set.status !== 0) return context.skip('this file system does not support capabilities');
  assert.equal(run('check-root.sh', '--privileged').stdout, '/usr/bin/ping\n');
  assert.equal(run('check-root.sh').status, 1);
  assert.equal(run('seal-root.sh').status, 0);
});
