/** The command as a user runs it, against an agent. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FakePage } from '../../testing/fake-page.ts';
import { makePng } from '../../testing/make-png.ts';
import { type RunningAgent, startAgent } from '../../testing/running-agent.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const RUN_MS = 60_000;

let agent: RunningAgent;
let page: FakePage;
let folder: string;
before(async () => {
  agent = await startAgent({ isQuiet: true, flags: ['--content-port', '0'] });
  page = new FakePage(agent.folder, makePng());
  folder = await mkdtemp(join(tmpdir(), 'vitrine-command-'));
  await writeFile(join(folder, 'index.html'), '<title>x</title>');
});
after(async () => {
  page.close();
  await agent.stop();
  await rm(folder, { recursive: true });
});

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** @param input standard input */
async function vitrine(
  args: readonly string[],
  { input = '', host = new URL(agent.api).origin } = {},
): Promise<Result> {
  return await new Promise((resolve) => {
    const options = { env: { ...process.env, VITRINE_HOST: host }, timeout: RUN_MS, cwd: folder };
    const child = execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
    child.stdin?.end(input);
  });
}

/** @returns what a successful command prints */
async function ok(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await vitrine(args);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

test('shows, stores, reads and changes', async () => {
  assert.equal(await ok('show', 'http://a.example/menu'), 'http://a.example/menu is on the screen');
  assert.match(await ok('push', '.', '--name', 'menu', '--show'), /^menu is on the screen$/);
  assert.equal(JSON.parse(await ok('--json', 'show', 'menu')).bundle, 'menu');
  assert.match(await ok('screenshot'), /^screenshot\.png \(\d+ bytes\)$/);
  assert.deepEqual(await readFile(join(folder, 'screenshot.png')), page.picture);
  assert.equal(await ok('config', 'set', 'display.rotation', '90'), 'display.rotation: in effect');
  assert.equal(await ok('config', 'get', 'display.rotation'), '90');
  await ok('config', 'set', 'device.name', 'Lobby screen');
  assert.equal(await ok('config', 'get', 'device.name'), '"Lobby screen"');
  await ok('config', 'reset', 'display.rotation');
  assert.equal(await ok('config', 'get', 'display.rotation'), '0');
  assert.equal(await ok('js', 'document.title'), '"Menu"');
  assert.equal((await vitrine(['js', '-'], { input: '1 + 1' })).stdout, '2\n');
  assert.match(await ok('diagnostics', 'support.zip'), /^support\.zip/);
  assert.equal((await readFile(join(folder, 'support.zip'))).subarray(0, 2).toString(), 'PK');
  const completion = await ok('completion', 'bash');
  assert.match(completion, /complete -F _vitrine vitrine/);
  assert.match(completion, /words="show .*peripherals .*completion --host/);
  assert.match(await ok('--help'), /push FOLDER\|ZIP/);
  assert.match(await ok('--version'), /^\d+\.\d+/);
});

test('what is wrong is said in one line, with an exit code that scripts can tell apart', async () => {
  const cases: [string[], number, RegExp][] = [
    [['shwo', 'x'], 2, /no command "shwo"; did you mean show\?/],
    [['push', '.', '--shwo'], 2, /no option --shwo; did you mean --show\?/],
    [['show'], 2, /Usage: vitrine \[options\] show URL/],
    [['push', 'nowhere'], 2, /nowhere/],
    [['push', '.', '--name', 'My App'], 1, /try my-app/],
    [['config', 'set', 'display.rotaton', '90'], 1, /did you mean rotation\?/],
    [['show', 'http://a.example/fails'], 1, /it is not on the screen: /],
    [['events', 'helth'], 1, /did you mean health\?/],
    [['logs', '--level', 'loud'], 2, /debug, info, warning, error/],
    [['page', 'hello'], 2, /a message is a JSON object/],
    [['--serial', '/dev/null/x', 'show', 'x'], 3, /cannot be opened/],
  ];
  for (const [args, code, message] of cases) {
    const result = await vitrine(args);
    assert.equal(result.code, code, `${args.join(' ')}: ${result.stderr}`);
    assert.match(result.stderr, message);
    assert.doesNotMatch(result.stderr, /\n\s+at /, 'a stack trace');
  }
  assert.equal((await vitrine(['show', 'x'], { host: 'http://127.0.0.1:9' })).code, 3);
  const json = await vitrine(['--json', 'config', 'set', 'display.rotation', '45']);
  assert.equal(JSON.parse(json.stdout).error.code, 'bad_request');
});
