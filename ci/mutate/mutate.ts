/**
 * `npm run mutate [-- PIECE ...]`: changes one expression of a piece at a time and runs the piece's tests, which must fail.
 * Prints the share of noticed changes and lists the others. The pieces are in pieces.ts. Stryker makes the changes; it
 * is installed into the cache, in the version pinned in this folder.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, ROOT } from '../lib/places.ts';
import { command, Problem } from '../lib/problem.ts';
import { runTool } from '../lib/tool.ts';
import { PIECES, type Piece } from './pieces.ts';

const HERE = join(ROOT, 'ci/mutate');
const INSTALL_TIMEOUT_MS = 5 * 60_000;
/** Bytes of Stryker's output that are kept for an error. */
const KEPT = 64 * 1024;
const PIECE_TIMEOUT_MS = 60 * 60_000;
/** For a changed loop that does not end; added to the usual time of the tests. */
const ENDLESS_MS = 5000;
/** Folders that no test of a piece reads. */
const NOT_COPIED = 'board boards browser build buildroot-external dist docs overlay splash tests-qemu'.split(
  ' ',
);

interface Mutant {
  status: string;
  mutatorName: string;
  replacement?: string;
  location: { start: { line: number; column: number }; end: { line: number; column: number } };
}
/** The part of Stryker's report that is used here. */
interface Report {
  files: Record<string, { source: string; mutants: Mutant[] }>;
}

async function install(): Promise<string> {
  const folder = join(cacheFolder(), 'mutate');
  await mkdir(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    await copyFile(join(HERE, name), join(folder, name));
  console.log(`Installing Stryker into ${folder}`);
  const { ok, output } = await runTool(
    'npm',
    ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'],
    INSTALL_TIMEOUT_MS,
  );
  if (!ok) throw new Problem(`Stryker cannot be installed:\n${output}`);
  return folder;
}

async function mutate(folder: string, name: string, { files, tests }: Piece): Promise<Report> {
  const work = join(folder, name);
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const config = join(work, 'stryker.json');
  const report = join(work, 'report.json');
  const options = {
    mutate: files,
    ignorers: ['texts'],
    plugins: [
      join(folder, 'node_modules/@stryker-mutator/tap-runner/dist/src/index.js'),
      join(HERE, 'ignore-texts.mjs'),
    ],
    testRunner: 'tap',
    tap: { testFiles: tests, nodeArgs: ['--test-reporter=tap', '-r', '{{hookFile}}', '{{testFile}}'] },
    coverageAnalysis: 'perTest',
    concurrency: 2,
    timeoutMS: ENDLESS_MS,
    ignorePatterns: NOT_COPIED,
    tempDirName: join(work, 'sandbox'),
    // Stryker would otherwise rewrite the paths in it.
    tsconfigFile: 'none.json',
    reporters: ['json'],
    jsonReporter: { fileName: report },
    allowConsoleColors: false,
    checkers: [],
  };
  await writeFile(config, JSON.stringify(options, undefined, 2));
  const stryker = join(folder, 'node_modules/.bin/stryker');
  await runGroup(stryker, ['run', config]);
  return JSON.parse(await readFile(report, 'utf8'));
}

/** Runs a program in a process group of its own. The whole group is killed when this script ends or the time is over. */
async function runGroup(program: string, args: string[]): Promise<void> {
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-KEPT);
  });
  const killGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group has ended.
    }
  };
  const timer = setTimeout(killGroup, PIECE_TIMEOUT_MS);
  process.once('exit', killGroup);
  try {
    const [code]: unknown[] = await once(child, 'close');
    if (code !== 0) throw new Problem(`Stryker failed (${String(code ?? 'killed')}):\n${output}`);
  } finally {
    clearTimeout(timer);
    process.off('exit', killGroup);
    killGroup();
  }
}

/** The changed text on one line, for the list of survivors. */
function changedText(source: string, { location: { start, end } }: Mutant): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').slice(0, end.column - 1);
  lines[0] = (lines[0] ?? '').slice(start.column - 1);
  return oneLine(lines.join(' '));
}

function oneLine(text: string): string {
  const flat = text.replace(/\s+/g, ' ');
  return flat.length > 100 ? `${flat.slice(0, 97)}...` : flat;
}

function summarise(name: string, { files }: Report): string {
  const survivors: string[] = [];
  const counts = { killed: 0, timeout: 0, survived: 0 };
  for (const [path, { source, mutants }] of Object.entries(files)) {
    for (const mutant of mutants) {
      if (mutant.status === 'Killed') counts.killed += 1;
      else if (mutant.status === 'Timeout') counts.timeout += 1;
      else if (mutant.status === 'Survived' || mutant.status === 'NoCoverage') {
        counts.survived += 1;
        const change = `${changedText(source, mutant)}  =>  ${oneLine(mutant.replacement ?? '')}`;
        survivors.push(`  ${path}:${mutant.location.start.line}  ${mutant.mutatorName}: ${change}`);
      }
    }
  }
  const { killed, timeout, survived } = counts;
  const all = killed + timeout + survived;
  const score = ((100 * (killed + timeout)) / all).toFixed(1);
  for (const survivor of survivors) console.log(survivor);
  return `| ${name} | ${all} | ${killed} | ${timeout} | ${survived} | ${score} % |`;
}

// Exiting kills Stryker. The channel to ci/run.mjs closes when that process is gone.
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
process.once('disconnect', () => process.exit(1));
process.channel?.unref();

await command(async () => {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !PIECES[name]);
  if (unknown.length > 0) {
    throw new Problem(
      `there is no piece ${unknown.join(', ')}; the pieces are ${Object.keys(PIECES).join(', ')}`,
    );
  }
  const folder = await install();
  const rows = [
    '| piece | mutants | killed | endless | survived | score |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  for (const [name, piece] of Object.entries(PIECES)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    console.log(`\n${name}: changing ${piece.files.join(', ')}`);
    rows.push(summarise(name, await mutate(folder, name, piece)));
  }
  console.log(`\n${rows.join('\n')}`);
  return 0;
});
