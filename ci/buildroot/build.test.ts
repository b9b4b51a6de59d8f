import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../lib/problem.ts';
import { type BuildrootOptions, buildIn } from './build.ts';
import { fakeBuildroot } from './tests/fake-buildroot.ts';

const skip =
  spawnSync('make', ['--version'], { timeout: 10_000 }).status !== 0 && 'make is not installed here';
const OPTIONS = { skip, timeout: 120_000 };

let folder = '';
let output = '';
let tree = '';
let options: BuildrootOptions;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-buildroot-'));
  output = join(folder, 'output');
  tree = fakeBuildroot(join(folder, 'tree'));
  const keyring = join(folder, 'keyring.pem');
  writeFileSync(keyring, 'certificates');
  options = { board: 'rpi4', tree, keyring, stop: new AbortController().signal };
});
afterEach(() => rmSync(folder, { recursive: true }));

const build = (more: Partial<BuildrootOptions> = {}): Promise<string> =>
  buildIn(output, join(folder, 'base'), { ...options, ...more });
const log = (): string => readFileSync(join(output, 'build.log'), 'utf8');
const steps = (what: string): number => log().split(`${what}\x1b`).length - 1;

/** The message of the Problem that a build fails with. */
async function problem(work: Promise<string>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error.message;
  }
  assert.fail('the build succeeded');
}

test('builds, and a second run builds nothing again', OPTIONS, async () => {
  const images = await build({ jobs: 3 });
  assert.equal(images, join(output, 'images'));
  const [version, epoch, jobs] = readFileSync(join(images, 'disk.img'), 'utf8').trim().split(' ');
  assert.match(version ?? '', /^\d+\.\d+\.\d+/);
  assert.match(epoch ?? '', /^\d{9,}$/);
  assert.equal(jobs, '3');
  assert.equal(steps('Building'), 3);
  const configured = statSync(join(output, '.config')).mtimeMs;
  await build();
  assert.equal(steps('Building'), 0);
  assert.equal(statSync(join(output, '.config')).mtimeMs, configured);
});

test(
  'a package that does not compile is named with its last output, and the next run continues',
  OPTIONS,
  async () => {
    writeFileSync(join(tree, 'fail'), 'linux');
    const message = await problem(build());
    assert.match(message, /^linux-6\.12 could not be installed\. The last lines of .*build\.log:\n/);
    assert.match(message, /something is wrong/);
    rmSync(join(tree, 'fail'));
    await build();
    assert.equal(steps('Building'), 2);
    assert.ok(!/host-tool/.test(log()), 'what was built before is not built again');
    assert.ok(existsSync(join(output, 'build.log.1')), 'the log of the run before is kept');
  },
);

test('without a network the build fails at once with a sentence that names the source', OPTIONS, async () => {
  writeFileSync(join(tree, 'offline'), '');
  const message = await problem(build());
  assert.match(
    message,
    /^the source of host-tool-1\.2 could not be downloaded: its host name could not be resolved/,
  );
  assert.match(message, /base\/downloads\/host-tool\/host-tool-1\.2\.tar\.xz/);
  assert.ok(!existsSync(join(output, 'build.log')), 'nothing was built');
});

test('a stopped build leaves no process behind, and the next run continues', OPTIONS, async () => {
  writeFileSync(join(tree, 'hang'), 'linux');
  const stop = new AbortController();
  const stopped = problem(build({ stop: stop.signal }));
  const hanging = (): number =>
    existsSync(join(tree, 'hanging')) ? Number(readFileSync(join(tree, 'hanging'), 'utf8')) : 0;
  // The file is created before the process id is written to it.
  while (hanging() === 0) await sleep(20);
  const pid = hanging();
  stop.abort();
  assert.match(await stopped, /^stopped\. Run the same command again to continue/);
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  rmSync(join(tree, 'hang'));
  await build();
  assert.equal(steps('Building'), 2);
});

test('a package whose patching was interrupted is unpacked again', OPTIONS, async () => {
  await build();
  const package_ = join(output, 'build/linux-6.12');
  for (const stamp of ['patched', 'installed']) rmSync(join(package_, `.stamp_${stamp}`));
  writeFileSync(join(package_, '.applied_patches_list'), 'one.patch\n');
  await build();
  assert.equal(steps('Extracting'), 1);
  assert.ok(!existsSync(join(package_, '.applied_patches_list')));
});

test('after a change of a source of this project only its package is rebuilt', OPTIONS, async () => {
  await build();
  // As if the package had been built from something else.
  const mark = join(output, '.vitrine-sources');
  writeFileSync(mark, readFileSync(mark, 'utf8').replace(/^(vitrine-agent) .*$/m, '$1 before'));
  await build();
  assert.equal(steps('Building'), 1);
  assert.match(log(), />>> vitrine-agent 0\.1 Building/);
});

test('a changed configuration is applied', OPTIONS, async () => {
  await build();
  writeFileSync(join(output, '.vitrine-configured'), 'of other files');
  appendFileSync(join(output, '.config'), 'BR2_PACKAGE_MORE=y\n');
  await build();
  assert.doesNotMatch(readFileSync(join(output, '.config'), 'utf8'), /MORE/);
});

test('--clean rebuilds everything', OPTIONS, async () => {
  await build();
  await build({ clean: true });
  assert.equal(steps('Building'), 3);
});

test('the SBOM is written without a build', OPTIONS, async () => {
  const lists = await build({ sbom: true });
  assert.match(
    readFileSync(join(lists, 'image.cdx.json'), 'utf8'),
    /^vitrine-rpi4 \d\S+ .*\/sbom\/show-info\.json$/m,
  );
  const agent: unknown = JSON.parse(readFileSync(join(lists, 'agent.cdx.json'), 'utf8'));
  assert.match(JSON.stringify(agent), /"bomFormat":"CycloneDX".*"name":"fastify"/);
  assert.ok(!existsSync(join(output, 'build')));
});

test('a folder that is not Buildroot, or is of another series, is rejected', OPTIONS, async () => {
  mkdirSync(join(folder, 'empty'));
  assert.match(await problem(build({ tree: join(folder, 'empty') })), /is not a Buildroot tree/);
  const other = fakeBuildroot(join(folder, 'other'), '2026.05');
  assert.match(await problem(build({ tree: other })), /is Buildroot 2026\.05; .* 2026\.02\.x/);
});

test('a missing keyring is reported before anything is built', OPTIONS, async () => {
  assert.match(await problem(build({ keyring: join(folder, 'none.pem') })), /no keyring/);
});
