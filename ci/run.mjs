// Entry point of every npm script. Plain JavaScript for the host's own Node (18 or newer), because it runs before
// anything is installed: it makes node_modules match package-lock.json, then runs the script with the pinned Node.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { cpus } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = join(root, 'node_modules', '.bin');
const pinnedNode = join(bin, 'node');
const lockFile = join(root, '.npm-ci.lock');
const LOCK_WAIT_MS = 600_000;
// npm retries a failed download after 2, 6, 18 and 20 seconds.
const NPM_RETRY_OPTIONS = [
  'retries=4',
  'retry-factor=3',
  'retry-mintimeout=2000',
  'retry-maxtimeout=20000',
].map((setting) => `--fetch-${setting}`);
// npm writes 12 000 files from Node's threads. More of them than processors hold each other up: with two processors, four
// threads take a fifth longer than two.
const FILE_THREADS = Math.min(4, Math.max(1, cpus().length));

function fail(message) {
  console.error(`vitrine: ${message}`);
  process.exit(1);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Why node_modules has to be installed, or undefined when it matches package-lock.json. Compares npm's own record of
 * what it installed. npm writes that record last, so a manual `npm install` counts and an interrupted one does not.
 */
function reasonToInstall() {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages;
  if (!wanted) fail('package-lock.json is missing or damaged; restore it from git.');
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (!installed) return 'node_modules does not exist yet';
  const same = (a, b) => a?.version === b?.version && a?.integrity === b?.integrity;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '' || (entry.optional && !installed[path])) continue;
    if (!same(entry, installed[path])) return `${path} differs from package-lock.json`;
  }
  const extra = Object.keys(installed).find((path) => !wanted[path]);
  if (extra) return `${extra} is not in package-lock.json`;
  if (spawnSync(pinnedNode, ['--version'], { timeout: 30_000 }).status !== 0)
    return 'the pinned Node does not run';
  return undefined;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Two scripts that are started at once on a fresh clone must not install at the same time. */
async function withLock(work) {
  const giveUp = Date.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      const file = openSync(lockFile, 'wx');
      writeSync(file, String(process.pid));
      closeSync(file);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`cannot write in ${root} (${error.message}).`);
      const holder = Number(readJson(lockFile) ?? 0);
      if (!Number.isInteger(holder) || (holder > 0 && !isAlive(holder))) rmSync(lockFile, { force: true });
      else if (Date.now() > giveUp)
        fail(`another install has held ${lockFile} for ten minutes; remove it if no install is running.`);
      else await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
  try {
    return work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function npmCi() {
  const reason = reasonToInstall();
  if (!reason) return;
  console.error(`vitrine: installing the project's npm packages with \`npm ci\` (${reason})…`);
  const cli = process.env.npm_execpath;
  const [command, ...first] = cli?.endsWith('.js') ? [process.execPath, cli] : ['npm'];
  // `npm start --silent` would also silence this npm and its errors, hence --loglevel. Its output goes to stderr,
  // because stdout belongs to the script.
  const result = spawnSync(
    command,
    [...first, 'ci', '--no-audit', '--no-fund', '--loglevel=error', ...NPM_RETRY_OPTIONS],
    {
      cwd: root,
      env: { UV_THREADPOOL_SIZE: String(FILE_THREADS), ...process.env },
      stdio: ['ignore', 2, 2],
      timeout: LOCK_WAIT_MS,
    },
  );
  if (result.error?.code === 'ENOENT')
    fail('npm was not found; install Node.js with npm (18 or newer) and run this again.');
  const left = result.status === 0 ? reasonToInstall() : undefined;
  if (result.status !== 0 || left) {
    const why = left ?? 'its output above says why';
    rmSync(lockFile, { force: true });
    fail(
      `\`npm ci\` did not finish (${why}). Check the network, the package registry and the free disk space.`,
    );
  }
}

if (Number(process.versions.node.split('.')[0]) < 18)
  fail(`Node 18 or newer is needed, this is ${process.version}.`);
const [script, ...rest] = process.argv.slice(2);
if (!script) fail('usage: node ci/run.mjs <script> [arguments]');

// A program that started this one with a channel may end at any time.
let child;
let isOrphan = false;
if (process.channel) {
  process.once('disconnect', () => {
    isOrphan = true;
    child?.kill('SIGTERM');
  });
  process.channel.unref();
}
if (reasonToInstall()) await withLock(npmCi);
if (isOrphan) process.exit(1);

// The PATH of an ordinary user may lack the folders of chroot and mke2fs.
const path = [bin, process.env.PATH, '/usr/local/sbin', '/usr/sbin', '/sbin'].filter(Boolean).join(delimiter);
const target = script.includes('/') ? join(root, script) : join(root, 'ci', `${script}.ts`);
// The IPC channel closes when this process is gone, even after SIGKILL, so the script can end and leave nothing running.
child = spawn(pinnedNode, [target, ...rest], {
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: { ...process.env, PATH: path },
});
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
  // A terminal sends Ctrl-C to the child as well; forwarding it would deliver it twice.
  process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal)));
}
child.on('error', (error) => fail(`cannot start ${pinnedNode} (${error.message}).`));
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
