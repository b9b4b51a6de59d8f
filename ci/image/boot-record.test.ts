/** The part of the initramfs script that records how the last boot ended, with pstore and sysfs in a folder. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ROOT } from '../lib/places.ts';

const SCRIPT = readFileSync(join(ROOT, 'board/common/initramfs/init'), 'utf8');
/** From the first of these functions to the code after the last. */
const FUNCTIONS = SCRIPT.slice(SCRIPT.indexOf('\nsave() {'), SCRIPT.indexOf('\nstate=missing\n'));
/** The calls as in the script. */
const CALLS =
  /^ *record_boot .*\n *keep_panic .*$/m.exec(SCRIPT)?.[0] ?? assert.fail('the script records boots');
const PANIC = `Panic#1 Part1
<6>[    3.1] clocksource: tsc
<0>[    4.2] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000100
<4>[    4.3] CPU: 0 PID: 1
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-record-'));
  for (const name of ['data/update', 'data/log', 'pstore', 'watchdog0']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const get = (name: string): string | undefined =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined;

/** One boot of slot b. Returns the warnings. @param command a function in place of a command */
function boot(cmdline = 'ro rauc.slot=B', command = ''): string {
  const script = [FUNCTIONS, CALLS]
    .join('\n')
    .replaceAll('/sys/fs/pstore', join(folder, 'pstore'))
    .replaceAll('/sys/class/watchdog', folder);
  const { stdout, stderr, status } = spawnSync(
    'sh',
    ['-c', `warn() { echo "$*"; }\n${command}\ncmdline='${cmdline}'\n${script}`],
    {
      cwd: join(folder, 'data'),
      encoding: 'utf8',
      timeout: 30_000,
    },
  );
  assert.equal(status, 0, stderr);
  return stdout;
}

test('each boot of a trial is a line: its slot, and how the boot before it ended', () => {
  put('data/update/trial', 'b\n');
  boot();
  put('watchdog0/bootstatus', '32\n');
  boot();
  put('pstore/dmesg-ramoops-0', PANIC);
  boot();
  put('watchdog0/bootstatus', '0\n');
  boot('rauc.slot=A ro');
  assert.equal(
    get('data/update/trial-boots'),
    'b -\nb watchdog\nb panic Attempted to kill init! exitcode=0x00000100\na -\n',
  );
  assert.deepEqual(readdirSync(join(folder, 'data/update')).sort(), ['trial', 'trial-boots']);
});

test('folders and pipes in the place of its files do not stop the boot', () => {
  put('data/update/trial', 'b\n');
  for (const make of ['mkdir', 'mkfifo']) {
    for (const name of [
      'update/trial-boots',
      'update/trial-boots.new',
      'log/panic.txt',
      'log/panic.txt.new',
    ]) {
      rmSync(join(folder, 'data', name), { force: true });
      execFileSync(make, [join(folder, 'data', name)]);
    }
    put('pstore/dmesg-ramoops-0', PANIC);
    assert.equal(boot(), '');
    assert.match(get('data/update/trial-boots') ?? '', /^b panic Attempted .*\n$/);
    assert.match(get('data/log/panic.txt') ?? '', /Kernel panic/);
  }
  // Not a trial.
  rmSync(join(folder, 'data/update'), { recursive: true });
  mkdirSync(join(folder, 'data/update/trial'), { recursive: true });
  boot();
  assert.equal(get('data/update/trial-boots'), undefined);
});

test('the log of a panic is moved to /data, in a trial or not', () => {
  put('pstore/dmesg-ramoops-0', 'Oops#1 Part1\n<4>[ 1.0] x\n');
  put('pstore/dmesg-ramoops-1', PANIC);
  assert.equal(boot(), '');
  assert.deepEqual(readdirSync(join(folder, 'pstore')), []);
  assert.match(get('data/log/panic.txt') ?? '', /^Oops#1 Part1\n[\s\S]*Attempted to kill init!/);
  assert.equal(get('data/update/trial-boots'), undefined);
});

test('the message of a panic is one printable line of at most 200 bytes', () => {
  put('data/update/trial', 'b\n');
  put('pstore/dmesg-ramoops-0', `<0>[1] Kernel panic - not syncing: a\u0007b${'x'.repeat(300)}\n${PANIC}`);
  boot();
  assert.match(get('data/update/trial-boots') ?? '', /^b panic abx{198}\n$/);
});

test('the last 20 boots are kept', () => {
  put('data/update/trial', 'b\n');
  put('data/update/trial-boots', Array.from({ length: 20 }, (_, i) => `b panic ${i}\n`).join(''));
  boot();
  const lines = get('data/update/trial-boots')?.trimEnd().split('\n') ?? [];
  assert.deepEqual([lines.length, lines[0], lines.at(-1)], [20, 'b panic 1', 'b -']);
});

test('a panic is not found again, and nothing is recorded twice, if /data takes no writes', () => {
  put('data/update/trial', 'b\n');
  rmSync(join(folder, 'data/log'), { recursive: true });
  put('pstore/dmesg-ramoops-0', PANIC);
  assert.match(boot('rauc.slot=B', 'sync() { return 1; }'), /could not be recorded[\s\S]*could not be saved/);
  assert.deepEqual(readdirSync(join(folder, 'pstore')), []);
});
