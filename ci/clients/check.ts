/**
 * `npm run check:clients`: checks that linters and client generators accept docs/openapi.yaml and docs/asyncapi.yaml
 * without a warning, that the generated clients work with a running agent, that the Python package works with a device,
 * and that a project of Vite is shown on one as the guide says. It installs these tools, in the versions pinned in this folder, from the npm and Python registries into the
 * cache. Therefore it is not part of `npm test`, whose unit tests check the documents themselves (ci/openapi/).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import { cacheFolder, ROOT } from '../lib/places.ts';
import { command, Problem } from '../lib/problem.ts';
import { close, FAILED, PASSED, sum, type Tally } from '../lib/tally.ts';
import { runTool } from '../lib/tool.ts';
import { installPackages } from '../setup.ts';
import { frameworkProject } from './framework.ts';

const INSTALL_TIMEOUT_MS = 5 * 60_000;
const STEP_TIMEOUT_MS = 2 * 60_000;
const START_TIMEOUT_MS = 60_000;
const HERE = join(ROOT, 'ci/clients');
const DOCUMENT = join(ROOT, 'docs/openapi.yaml');
const EVENTS_DOCUMENT = join(ROOT, 'docs/asyncapi.yaml');
const NODE_FOLDER = join(cacheFolder(), 'clients', 'node');
const PYTHON_CONFIG = join(ROOT, 'docs/openapi-python-client.yaml');

/** Runs one program. @throws Problem with its output when it fails or prints a warning */
async function run(program: string, args: string[], timeoutMs = STEP_TIMEOUT_MS): Promise<void> {
  const { ok, output } = await runTool(program, args, timeoutMs);
  if (!ok || /\bwarn/i.test(output)) throw new Problem(`${program} ${args.join(' ')}\n${output}`);
}

/** A program of the packages in `node/`. */
function nodeTool(name: string): string {
  return join(NODE_FOLDER, 'node_modules', '.bin', name);
}

async function installNodeTools(): Promise<void> {
  await cp(join(HERE, 'node'), NODE_FOLDER, { recursive: true });
  // Without their scripts, which are not needed, and one of which reports the installation.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  await run('npm', ['ci', '--prefix', NODE_FOLDER, ...options], INSTALL_TIMEOUT_MS);
}

async function lintOpenApi(): Promise<void> {
  const quiet = ['REDOCLY_TELEMETRY=off', 'REDOCLY_SUPPRESS_UPDATE_NOTICE=true'];
  const config = ['--config', join(NODE_FOLDER, 'redocly.yaml')];
  await run('env', [...quiet, nodeTool('redocly'), 'lint', DOCUMENT, ...config]);
}

async function validateAsyncApi(): Promise<void> {
  await run(process.execPath, [join(NODE_FOLDER, 'validate-asyncapi.ts'), EVENTS_DOCUMENT]);
}

/** Checks the types of a program in `node/`, and runs it. */
async function runTyped(name: string, api: string, zip: string): Promise<void> {
  const program = join(NODE_FOLDER, name);
  const strict = '--strict --noEmit --allowImportingTsExtensions --module nodenext --target es2022'.split(
    ' ',
  );
  const nodeTypes = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
  await run(nodeTool('tsc'), [...strict, ...nodeTypes, '--skipLibCheck', program]);
  await run(process.execPath, [program, api, zip]);
}

async function typescriptClient(api: string, zip: string): Promise<void> {
  await run(nodeTool('openapi-typescript'), [DOCUMENT, '--output', join(NODE_FOLDER, 'api.d.ts')]);
  await runTyped('use-client.ts', api, zip);
}

async function orvalClient(api: string, zip: string): Promise<void> {
  const place = [`VITRINE_DOCUMENT=${DOCUMENT}`, `VITRINE_API=${api}`];
  const config = join(NODE_FOLDER, 'orval.config.ts');
  await run('env', [...place, nodeTool('orval'), '--config', config, '--fail-on-warnings']);
  await runTyped('use-orval.ts', api, zip);
}

async function pythonClient(api: string, zip: string): Promise<void> {
  const folder = join(cacheFolder(), 'clients', 'python');
  const venv = join(folder, 'venv');
  const tool = (name: string): string => join(venv, 'bin', name);
  if (spawnSync('python3', ['-c', 'import ensurepip, venv'], { timeout: STEP_TIMEOUT_MS }).status !== 0) {
    await installPackages(['python3', 'python3-venv']);
  }
  await run('python3', ['-m', 'venv', venv]);
  const requirements = join(HERE, 'python', 'requirements.txt');
  const quiet = ['--quiet', '--disable-pip-version-check', '--requirement', requirements];
  await run(tool('python'), ['-m', 'pip', 'install', ...quiet], INSTALL_TIMEOUT_MS);
  const client = join(folder, 'vitrine_client');
  const places = ['--path', DOCUMENT, '--config', PYTHON_CONFIG, '--output-path', client];
  const options = ['--meta', 'none', '--overwrite', '--fail-on-warning'];
  await rm(client, { recursive: true, force: true });
  // It formats its output with ruff, which it looks for in the PATH.
  const path = `PATH=${join(venv, 'bin')}:${process.env.PATH ?? ''}`;
  await run('env', [path, 'openapi-python-client', 'generate', ...places, ...options]);
  await cp(join(HERE, 'python', 'use_client.py'), join(folder, 'use_client.py'));
  await run(tool('python'), [join(folder, 'use_client.py'), api, zip]);
}

/** The package in clients/python: its types, and its tests against a device in a container, over both links. */
async function pythonPackage(): Promise<void> {
  const folder = join(cacheFolder(), 'clients', 'package');
  const venv = join(folder, 'venv');
  const tool = (name: string): string => join(venv, 'bin', name);
  // A copy, since building it writes into its folder.
  const source = join(folder, 'source');
  await rm(source, { recursive: true, force: true });
  await cp(join(ROOT, 'clients/python'), source, { recursive: true });
  await run('python3', ['-m', 'venv', venv]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  const pinned = ['--require-hashes', '--no-deps', '-r', join(HERE, 'package/requirements.txt')];
  await run(tool('python'), [...pip, ...pinned], INSTALL_TIMEOUT_MS);
  await run(tool('python'), [...pip, '--no-deps', '--force-reinstall', source], INSTALL_TIMEOUT_MS);
  await run(tool('mypy'), ['--strict', join(source, 'src'), join(source, 'tests')]);
  const name = 'check-clients';
  const ready = join(folder, 'ready.json');
  const start = [...['--container', '--headless', '--fresh', '--detach'], ...['--name', name, '--port', '0']];
  await run(
    process.execPath,
    [join(ROOT, 'ci/start.ts'), ...start, '--ready-json', ready],
    INSTALL_TIMEOUT_MS,
  );
  try {
    const { tty }: { tty: string } = JSON.parse(await readFile(ready, 'utf8'));
    const device = [`VITRINE_READY=${ready}`, `VITRINE_SERIAL=${tty}`, `VITRINE_PROJECT=${ROOT}`];
    await run('env', [...device, tool('pytest'), '-q', '-p', 'no:cacheprovider', join(source, 'tests')]);
  } finally {
    await run(process.execPath, [join(ROOT, 'ci/stop.ts'), '--name', name]);
  }
}

interface RunningAgent {
  process: ChildProcess;
  /** Base URL. */
  api: string;
}

async function startAgent(data: string): Promise<RunningAgent> {
  const args = ['--profile', 'generic', '--listen', '127.0.0.1:0', '--data', data];
  const agent = spawn(process.execPath, [join(ROOT, 'agent/src/main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => agent.kill('SIGKILL'));
  const timer = setTimeout(() => agent.kill('SIGKILL'), START_TIMEOUT_MS);
  try {
    for await (const line of createInterface(agent.stdout)) {
      const ready: { api: string[] } = JSON.parse(line);
      const [api] = ready.api;
      if (api !== undefined) return { process: agent, api };
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Problem('the agent did not start.');
}

async function writeBundle(file: string): Promise<void> {
  const zip = new yazl.ZipFile();
  zip.addBuffer(Buffer.from('<!doctype html><title>Client</title>'), 'index.html');
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}

/** Checks the clients. Each counts as one test. */
async function checkClients(): Promise<Tally> {
  const work = await mkdtemp(join(tmpdir(), 'vitrine-clients-'));
  const zip = join(work, 'bundle.zip');
  await writeBundle(zip);
  await mkdir(join(work, 'data'));
  const agent = await startAgent(join(work, 'data'));
  const tallies: Tally[] = [];
  try {
    await installNodeTools();
    for (const [name, client] of [
      ['redocly lint', lintOpenApi],
      ['asyncapi validate', validateAsyncApi],
      ['openapi-typescript', typescriptClient],
      ['orval', orvalClient],
      ['openapi-python-client', pythonClient],
      ['clients/python', pythonPackage],
      ['docs/guides/frameworks.md', () => frameworkProject(join(NODE_FOLDER, 'node_modules/.bin'), run)],
    ] as const) {
      const failure = await client(agent.api, zip).catch((error: unknown) => String(error));
      process.stdout.write(`${failure === undefined ? 'ok     ' : 'FAILED '} ${name}\n${failure ?? ''}`);
      tallies.push(failure === undefined ? PASSED : FAILED);
    }
  } finally {
    const gone = once(agent.process, 'exit');
    if (agent.process.exitCode === null && agent.process.kill('SIGTERM')) await gone;
    await rm(work, { recursive: true, force: true });
  }
  return sum(tallies);
}

await command(async () => close(await checkClients()));
