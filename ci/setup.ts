/**
 * Names the missing Debian packages of this computer and installs them with apt-get. The list of packages is in
 * `ci/image/packages.conf`; see {@link SECTIONS}.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ROOT } from './lib/places.ts';
import { command, Problem } from './lib/problem.ts';

/** Whether a window can be opened: the environment names an X or Wayland display. */
export function hasDisplay(env: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

const LISTS = '/var/lib/apt/lists';
const UPDATE_TIMEOUT_MS = 5 * 60_000;
const INSTALL_TIMEOUT_MS = 20 * 60_000;
/** How long to wait for another package manager: a freshly started computer often updates itself first. */
const LOCK_TIMEOUT_S = 180;
const LOCK_PAUSE_MS = 2000;

/** The words of one section of packages.conf's text. */
export function sectionOf(conf: string, section: string): string[] {
  let current = '';
  const found: string[] = [];
  for (const line of conf.split('\n')) {
    const text = line.replace(/#.*/, '').trim();
    const heading = /^\[(.+)\]$/.exec(text)?.[1];
    if (heading !== undefined) current = heading;
    else if (current === section) found.push(...text.split(/\s+/).filter(Boolean));
  }
  return found;
}

/** The packages of `wanted` that `dpkg-query -W -f '${Package} ${db:Status-Status}\n'` does not report as installed. */
export function missingFrom(wanted: string[], report: string): string[] {
  const installed = new Set(
    report
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([, status]) => status === 'installed')
      .map(([name]) => name),
  );
  return wanted.filter((name) => !installed.has(name));
}

/** Whether apt-get's output says that a server could not be reached or that a download was interrupted. */
export function networkFailed(output: string): boolean {
  const reasons =
    /Could not (?:resolve|connect)|Temporary failure resolving|Cannot initiate the connection|Connection (?:failed|refused|timed out)/;
  // A server that answers "404" was reached.
  return reasons.test(output) || (/Failed to fetch/.test(output) && !/\b404 +Not Found/.test(output));
}

/**
 * Explains apt-get's output in a sentence: no mirror reached, no such package, disk full, or something else.
 * @param output everything apt-get wrote
 */
export function explainApt(output: string, packages: string[]): string {
  const list = packages.join(' ');
  const late = /apt-get was ended after \d+ minutes/.exec(output)?.[0];
  if (late) return `${late}; these packages are still missing: ${list}. The mirror may be slow: try again.`;
  if (/No space left on device|You don't have enough free space/.test(output)) {
    return `there is no room on the disk for the packages ${list}.`;
  }
  if (/Could not get lock|Unable to (?:acquire the dpkg|lock directory)/.test(output)) {
    return 'another package manager is running; try again when it has finished.';
  }
  // Without an index apt knows no package at all, so a network failure is the better explanation.
  if (networkFailed(output)) {
    return `no package mirror could be reached, or a download was interrupted, so these packages are still missing: ${list}. Check the network and /etc/apt.`;
  }
  if (/Unable to locate package (\S+)/.test(output)) {
    const name = /Unable to locate package (\S+)/.exec(output)?.[1];
    return `the package mirror does not carry ${name}; Debian 12, Ubuntu 24.04 or newer is needed (wanted: ${list}).`;
  }
  return `apt-get could not install ${list}; its output above says why.`;
}

/** The command prefix that runs a program as root; undefined when this user may not. */
export function rootPrefix(): string[] | undefined {
  if (process.getuid?.() === 0) return [];
  if (spawnSync('sudo', ['-n', 'true'], { timeout: 10_000 }).status === 0) return ['sudo', '-n'];
  const sudo = spawnSync('sudo', ['--version'], { timeout: 10_000 }).status === 0;
  return sudo && process.stdin.isTTY ? ['sudo'] : undefined;
}

/** The proxy variables of the environment, which apt needs and sudo would remove. */
function proxyVariables(): string[] {
  const names = ['http_proxy', 'https_proxy', 'no_proxy'];
  return names.flatMap((name) => {
    const value = process.env[name] ?? process.env[name.toUpperCase()];
    return value ? [`${name}=${value}`] : [];
  });
}

/** Options of apt-get: how long to wait for a server in seconds, and how often to retry with growing delays. */
export const APT_RETRY_OPTIONS = { Retries: '5', 'http::Timeout': '60', 'https::Timeout': '60' };

async function aptGet(
  prefix: string[],
  args: string[],
  timeout: number,
): Promise<{ ok: boolean; output: string }> {
  const [program = 'apt-get', ...rest] = [
    ...prefix,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'LC_ALL=C',
    ...proxyVariables(),
    'apt-get',
    '-qq',
    '-o',
    'Dpkg::Use-Pty=0',
    '-o',
    `DPkg::Lock::Timeout=${LOCK_TIMEOUT_S}`,
    '-o',
    'APT::Update::Error-Mode=any',
    ...Object.entries(APT_RETRY_OPTIONS).flatMap(([name, value]) => ['-o', `Acquire::${name}=${value}`]),
    ...args,
  ];
  const child = spawn(program, rest, { stdio: ['inherit', 'pipe', 'pipe'], timeout });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      // The end of the output says what went wrong; the kept part is bounded.
      output = (output + chunk.toString()).slice(-64 * 1024);
      process.stderr.write(chunk);
    });
  }
  const [code, signal]: unknown[] = await once(child, 'close');
  if (signal) output += `\napt-get was ended after ${timeout / 60_000} minutes\n`;
  return { ok: code === 0, output };
}

/** `apt-get update`, repeated while the index is locked: apt waits for the lock of dpkg, but not for this one. */
async function updateLists(prefix: string[]): Promise<{ ok: boolean; output: string }> {
  const giveUp = performance.now() + LOCK_TIMEOUT_S * 1000;
  for (;;) {
    const update = await aptGet(prefix, ['update'], UPDATE_TIMEOUT_MS);
    const held = !update.ok && /Unable to lock directory|lists\/lock/.test(update.output);
    if (!held || performance.now() > giveUp) return update;
    await sleep(LOCK_PAUSE_MS);
  }
}

function hasPackageLists(): boolean {
  return existsSync(LISTS) && readdirSync(LISTS).some((name) => /_Packages(\.\w+)?$/.test(name));
}

/** Installs those of `packages` that are missing and prints their names. Quick and silent when none is missing. */
export async function installPackages(packages: string[]): Promise<void> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholders
  const query = spawnSync('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Status}\n', ...packages], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (query.error) {
    throw new Problem(
      `this computer has no dpkg; the image is built and run on Debian 12, Ubuntu 24.04 or newer. Packages needed: ${packages.join(' ')}`,
    );
  }
  const missing = missingFrom(packages, query.stdout);
  if (missing.length === 0) return;
  const prefix = rootPrefix();
  if (!prefix) {
    throw new Problem(
      `these packages are missing and this user may not install them: ${missing.join(' ')}\n` +
        `Run this once: sudo apt-get install --no-install-recommends ${missing.join(' ')}`,
    );
  }
  console.error(`vitrine: installing ${missing.length} missing packages with apt-get: ${missing.join(' ')}`);
  const install = ['install', '-y', '--no-install-recommends', ...missing];
  let last = { ok: false, output: '' };
  if (hasPackageLists()) last = await aptGet(prefix, install, INSTALL_TIMEOUT_MS);
  // The usual cause is an index that is missing or older than the mirror's packages: update it and retry once.
  if (!last.ok) {
    console.error('vitrine: fetching the package lists first (apt-get update)…');
    const update = await updateLists(prefix);
    last = await aptGet(prefix, install, INSTALL_TIMEOUT_MS);
    if (!last.ok) throw new Problem(explainApt(last.output + (update.ok ? '' : update.output), missing));
  }
}

/**
 * What this computer is to do: build images and run them in QEMU without a window, run them in a window or in a container, or
 * run all tests.
 */
export type Purpose = 'build' | 'window' | 'container' | 'test';

/** The sections of packages.conf with the packages for each purpose. */
const SECTIONS: Record<Purpose, string[]> = {
  build: ['host'],
  window: ['host', 'window'],
  container: ['host', 'container'],
  test: ['host', 'container', 'test'],
};

/** Installs this computer's packages for a purpose. */
export async function setupHost(purpose: Purpose): Promise<void> {
  const conf = readFileSync(join(ROOT, 'ci/image/packages.conf'), 'utf8');
  await installPackages(SECTIONS[purpose].flatMap((section) => sectionOf(conf, section)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    await setupHost(process.argv.includes('--test') ? 'test' : 'build');
    console.error('vitrine: all packages that this computer needs are installed.');
    return 0;
  });
}
