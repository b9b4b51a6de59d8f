import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createClient, type Transport } from '../client/client.ts';
import { httpTransport } from '../client/http.ts';
import { field } from '../testing/field.ts';
import { type RunningAgent, startAgent } from '../testing/running-agent.ts';
import { type Cable, connectTerminals } from '../testing/terminals.ts';
import { CHECKS, type Expectations } from './factory/checks.ts';
import { testUnit } from './factory/run.ts';
import { factoryRequest } from './factory-test.ts';

describe('the test of a unit, with an agent on a tty of this computer', () => {
  let cable: Cable;
  let agent: RunningAgent;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vitrine-factory-test-'));
    cable = await connectTerminals();
    agent = await startAgent({ flags: ['--serial', cable.device] });
  });
  after(async () => {
    await agent?.stop();
    cable?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the command and returns its exit code, its output and the results of the checks by name. */
  async function run(...args: string[]) {
    const json = join(folder, 'result.json');
    const command = [
      join(import.meta.dirname, 'factory-test.ts'),
      '--serial-link',
      cable.host,
      '--yes',
      '--json',
      json,
    ];
    const child = spawn(process.execPath, [...command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += text;
      });
    const [code]: unknown[] = await once(child, 'close');
    const result: unknown = JSON.parse(await readFile(json, 'utf8'));
    const checks = field(result, 'checks');
    assert.ok(Array.isArray(checks), output);
    const found = new Map(checks.map((one: unknown) => [field(one, 'name'), one]));
    return {
      code,
      output,
      passed: field(result, 'passed'),
      of: (name: string) => field(found.get(name), 'result'),
      detail: (name: string) => String(field(found.get(name), 'detail')),
    };
  }

  test('a unit as expected passes, and its content is as before', async () => {
    const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'));
    const skip = ['--skip', 'health,display,update'];
    const result = await run(
      '--expect-version',
      version,
      '--expect-board',
      'generic',
      '--min-data-gb',
      '0.01',
      '--max-clock-error',
      '5',
      ...skip,
    );
    assert.equal(result.code, 0, result.output);
    assert.equal(result.passed, true);
    for (const name of ['identity', 'storage', 'parts', 'time', 'restore'])
      assert.equal(result.of(name), 'passed', name);
    for (const name of ['picture', 'nfc']) assert.equal(result.of(name), 'not_tested', name);
    assert.match(result.output, /^ok +storage +\S+ GB, written and read/m);
    assert.match(result.output, /^PASS {2}\S+$/m);
    const { bundles } = await createClient({ transport: httpTransport(agent.api) }).get('/content');
    assert.deepEqual(bundles, []);
  });

  test('every unmet expectation fails with its reason, and the other checks still run', async () => {
    const result = await run(
      '--expect-version',
      '99.0.0',
      '--expect-board',
      'rpi9',
      '--min-data-gb',
      '900000',
      '--expect',
      'touch,nfc',
      '--skip',
      'health',
    );
    assert.equal(result.code, 1, result.output);
    assert.equal(result.passed, false);
    for (const [name, reason] of [
      ['identity', /not 99\.0\.0; the board is generic, not rpi9/],
      ['storage', /not 900000\.00 GB/],
      ['display', /no screen is connected/],
      ['parts', /not detected: touch/],
      ['nfc', /NFC is off: 503 nfc_disabled/],
    ] as const) {
      assert.equal(result.of(name), 'failed', name);
      assert.match(result.detail(name), reason);
    }
    assert.equal(result.of('restore'), 'passed');
    assert.match(result.output, /^FAIL /m);
  });

  test('a unit that does not answer fails, also in the file', async () => {
    const result = await run('--serial-link', join(folder, 'no-tty'), '--wait', '1');
    assert.equal(result.code, 1);
    assert.equal(result.passed, false);
    assert.match(result.detail('link'), /waited 1 s for a unit/);
  });
});

type Answers = Readonly<Record<string, { status: number; body?: unknown }>>;

describe('the checks', () => {
  async function result(
    name: string,
    answers: Answers,
    more: Partial<{ expected: Expectations; reset: boolean; confirm: () => Promise<boolean> }> = {},
  ) {
    const fixed: Answers = {
      'DELETE /content/factory-test-picture': { status: 404 },
      'DELETE /content/factory-test-data': { status: 404 },
      ...answers,
    };
    const requests: string[] = [];
    const transport: Transport = {
      request: async (method, path) => {
        requests.push(`${method} ${path}`);
        const { status, body } = fixed[`${method} ${path}`] ?? { status: 200, body: { serial: 'S1' } };
        return { status, body, bytes: Buffer.alloc(0) };
      },
      openChannel: () => assert.fail(),
      close: async () => undefined,
    };
    const { expected = { parts: [] }, reset = false, confirm } = more;
    const skip = CHECKS.map((check) => check.name).filter((one) => one !== name);
    const found = await testUnit(
      { client: createClient({ transport }), expected, confirm },
      { checks: CHECKS, skip, reset, report: () => undefined },
    );
    return { ...found, first: found.checks[0], requests };
  }
  const slots = (b: object, more: object = {}) => ({
    'GET /update': {
      status: 200,
      body: {
        active_slot: 'a',
        slots: { a: { version: '1', state: 'good' }, b: { version: '1', state: 'unknown', ...b } },
        pending: null,
        ...more,
      },
    },
  });

  test('update: both slots must be usable and have the same version, with nothing pending', async () => {
    for (const [answers, outcome, reason] of [
      [slots({}), 'passed', /both slots 1/],
      [slots({ version: '2' }), 'failed', /versions 1 and 2/],
      [
        slots({ version: '2', state: 'bad' }, { pending: '3' }),
        'failed',
        /b is bad; .*versions 1 and 2; .*pending: 3/,
      ],
      [slots({ state: 'bad' }), 'failed', /slot b is bad/],
      [slots({}, { pending: '3' }), 'failed', /3/],
      [{ 'GET /update': { status: 503 } }, 'failed', /503/],
    ] as const) {
      const { first } = await result('update', answers);
      assert.equal(first?.result, outcome);
      assert.ok((first?.seconds ?? 0) > 0, 'a check that was done took time');
      assert.match(first?.detail ?? '', reason);
    }
  });

  test('health: a problem of the device fails with its own words', async () => {
    const health = (body: object) => ({
      'GET /device/health': { status: 200, body: { browser: { running: true }, problems: [], ...body } },
    });
    assert.equal((await result('health', health({ throttled: null }))).passed, true);
    assert.match(
      (await result('health', health({ problems: ['It smokes.'] }))).first?.detail ?? '',
      /It smokes/,
    );
    assert.equal((await result('health', health({ undervoltage: true }))).passed, false);
  });

  test('the operator decides about the picture', async () => {
    for (const seen of [true, false]) {
      assert.equal((await result('picture', {}, { confirm: async () => seen })).passed, seen);
    }
  });

  test('only a unit without failures is reset to factory settings', async () => {
    const reset = 'POST /device/factory-reset';
    assert.ok((await result('update', slots({}), { reset: true })).requests.includes(reset));
    assert.ok(!(await result('update', slots({ state: 'bad' }), { reset: true })).requests.includes(reset));
    assert.ok(!(await result('update', slots({}))).requests.includes(reset));
  });
});

test('the command line', () => {
  const read = (...args: string[]) =>
    factoryRequest(['--serial-link', 'tty', ...args], { INIT_CWD: '/line' });
  const { link, expected, skip, ask, json } = read(
    '--expect',
    'wifi,nfc',
    '--min-data-gb',
    '13.5',
    '--skip',
    'time',
    '--json',
    'r.json',
  );
  assert.deepEqual(
    { link, expected, skip, ask, json },
    {
      link: '/line/tty',
      expected: { parts: ['wifi', 'nfc'], minDataBytes: 13.5e9 },
      skip: ['time'],
      ask: true,
      json: '/line/r.json',
    },
  );
  for (const [args, message] of [
    [['--expect', 'radio'], /--expect takes touch, wifi/],
    [['--skip', 'all'], /--skip takes identity/],
    [['--min-data-gb', '-1'], /must be a number|--min-data-gb/],
    [['unit'], /unexpected argument/],
  ] as const) {
    assert.throws(() => read(...args), { name: 'Problem', message });
  }
  assert.throws(() => factoryRequest([], {}), /--serial-link TTY is missing/);
});
