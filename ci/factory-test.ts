/**
 * `npm run factory-test -- --serial-link TTY`: tests a freshly flashed unit over the serial link of its cable. Prints a
 * line for each check and exits with 0 only if none failed. See docs/manufacturing.md.
 */
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { writeFileAtomic } from '../agent/src/base/atomic-file.ts';
import { errorMessage } from '../agent/src/base/system-error.ts';
import { createClient } from '../client/client.ts';
import { CHECKS, type Expectations, PARTS, type Part } from './factory/checks.ts';
import { openUnit } from './factory/link.ts';
import { type CheckResult, testUnit, type UnitResult, unreachable } from './factory/run.ts';
import { readArguments } from './lib/arguments.ts';
import { command, Problem } from './lib/problem.ts';

const WAIT_S = 120;
const REQUEST_MS = 30_000;
const NAMES = CHECKS.map(({ name }) => name);

const OPTIONS = {
  'serial-link': {
    type: 'string',
    value: 'TTY',
    help: 'tty of the unit, or the unix socket that npm start prints',
  },
  wait: { type: 'string', value: 'S', help: `seconds until the unit must answer (default: ${WAIT_S})` },
  'expect-version': { type: 'string', value: 'VERSION', help: 'the version of the firmware' },
  'expect-board': { type: 'string', value: 'BOARD', help: 'the board profile, model_profile of GET /device' },
  expect: { type: 'string', value: 'LIST', help: `hardware, of ${PARTS.join(',')}` },
  'min-data-gb': { type: 'string', value: 'N', help: 'least size of /data in GB (10^9 bytes)' },
  'max-clock-error': { type: 'string', value: 'S', help: "largest difference to this computer's clock" },
  skip: { type: 'string', value: 'LIST', help: `checks to leave out, of ${NAMES.join(',')}` },
  yes: { type: 'boolean', help: 'do not ask an operator whether the test picture is seen' },
  reset: { type: 'boolean', help: 'reset to factory settings at the end, if nothing failed' },
  json: { type: 'string', value: 'FILE', help: 'write the results to this file' },
} as const;

/** What to test, and how. */
export interface FactoryRequest {
  link: string;
  waitMs: number;
  expected: Expectations;
  skip: string[];
  ask: boolean;
  reset: boolean;
  json?: string;
}

/** Parses the command line. Throws a {@link Problem}. Paths are relative to the folder in which the user ran npm. */
export function factoryRequest(args: string[], env: NodeJS.ProcessEnv): FactoryRequest {
  const { values, rest } = readArguments(
    'npm run factory-test -- --serial-link TTY [OPTIONS]',
    OPTIONS,
    args,
  );
  if (rest.length > 0) throw new Problem(`unexpected argument "${rest.join(' ')}".`);
  const path = (given: string): string => resolve(env.INIT_CWD ?? '.', given);
  if (!values['serial-link']) throw new Problem('--serial-link TTY is missing: the tty of the unit.');
  const number = (name: 'wait' | 'min-data-gb' | 'max-clock-error'): number | undefined => {
    const text = values[name];
    if (text === undefined) return undefined;
    if (!/^\d{1,6}(?:\.\d{1,3})?$/.test(text))
      throw new Problem(`--${name} must be a number, not "${text}".`);
    return Number(text);
  };
  const list = <T extends string>(name: 'expect' | 'skip', allowed: readonly T[]): T[] =>
    (values[name] ?? '')
      .split(',')
      .filter(Boolean)
      .map((text) => {
        const found = allowed.find((one) => one === text);
        if (!found) throw new Problem(`--${name} takes ${allowed.join(', ')}, not "${text}".`);
        return found;
      });
  const expected: Expectations = { parts: list<Part>('expect', PARTS) };
  const [minData, clockError] = [number('min-data-gb'), number('max-clock-error')];
  if (values['expect-version']) expected.version = values['expect-version'];
  if (values['expect-board']) expected.board = values['expect-board'];
  if (minData !== undefined) expected.minDataBytes = minData * 1e9;
  if (clockError !== undefined) expected.maxClockError = clockError;
  return {
    link: path(values['serial-link']),
    waitMs: (number('wait') ?? WAIT_S) * 1000,
    expected,
    skip: list('skip', NAMES),
    ask: !values.yes,
    reset: values.reset ?? false,
    ...(values.json ? { json: path(values.json) } : {}),
  };
}

/** Asks on the terminal until the answer is yes or no. */
async function askOperator(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const answer = await terminal.question(`${question} [y/n] `);
      if (/^(?:y|yes)$/i.test(answer.trim())) return true;
      if (/^(?:n|no)$/i.test(answer.trim())) return false;
    }
  } finally {
    terminal.close();
  }
}

const WORDS = { passed: 'ok', failed: 'FAILED', not_tested: 'not tested' } as const;

function line({ name, result, detail, seconds }: CheckResult): string {
  return `${WORDS[result].padEnd(10)}  ${name.padEnd(9)}  ${detail} (${seconds.toFixed(1)} s)`;
}

async function main(request: FactoryRequest): Promise<number> {
  if (request.ask && !process.stdin.isTTY && !request.skip.includes('picture')) {
    throw new Problem('nobody can be asked about the test picture without a terminal: add --yes.');
  }
  const save = async (result: UnitResult): Promise<void> => {
    if (request.json) await writeFileAtomic(request.json, `${JSON.stringify(result, undefined, 2)}\n`);
  };
  const startedAt = Date.now();
  const link = await openUnit(request.link, request.waitMs).catch(async (error: unknown) => {
    await save(unreachable(errorMessage(error), startedAt));
    throw error;
  });
  try {
    const { expected, skip, reset } = request;
    const bench = {
      client: createClient({ transport: link, timeoutMs: REQUEST_MS }),
      expected,
      confirm: request.ask ? askOperator : undefined,
    };
    const report = (result: CheckResult): void => console.log(line(result));
    const result = await testUnit(bench, { checks: CHECKS, skip, reset, report });
    await save(result);
    console.log(`${result.passed ? 'PASS' : 'FAIL'}  ${result.serial}`);
    return result.passed ? 0 : 1;
  } finally {
    await link.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(() => main(factoryRequest(process.argv.slice(2), process.env)));
}
