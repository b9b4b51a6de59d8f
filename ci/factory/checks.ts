/** The checks of a freshly flashed unit, in the order in which they run. */
import { randomBytes } from 'node:crypto';
import { type Client, describeAnswer } from '../../client/client.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import { zip } from '../../testing/zip.ts';
import { testPicture } from './picture.ts';
import { Defect, NotTested, putBundle } from './unit.ts';

/** Hardware that a unit can be expected to have. */
export const PARTS = ['touch', 'wifi', 'bluetooth', 'nfc'] as const;
export type Part = (typeof PARTS)[number];

/** What the unit must be like; checks without an expectation only report. */
export interface Expectations {
  version?: string;
  board?: string;
  /** Least size of the file system of /data, in bytes. */
  minDataBytes?: number;
  parts: readonly Part[];
  /** Largest difference between the clocks of the unit and of this computer, in seconds. */
  maxClockError?: number;
}

export interface Bench {
  /** The API of the unit under test. */
  client: Client;
  expected: Expectations;
  /** Asks the operator a question with yes or no; undefined: nobody is there. */
  confirm: ((question: string) => Promise<boolean>) | undefined;
}

export interface Check {
  name: string;
  /** Time limit in ms, without the operator's time. */
  timeoutMs: number;
  /**
   * Returns what was found, in a few words.
   * @throws Defect when the unit does not pass, NotTested when this cannot be tested
   */
  run(bench: Bench): Promise<string>;
}

const PICTURE = 'factory-test-picture';
const DATA = 'factory-test-data';
/** Content of the storage test: random, so that nothing can compress it. */
const DATA_BYTES = 256 * 1024;
const SHORT_MS = 60_000;
const LONG_MS = 180_000;

const gb = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;

/** Fails with all the reasons at once, so that an operator need not test again to see the next one. */
function requireNone(reasons: readonly (string | false)[]): void {
  const found = reasons.filter((reason) => reason !== false);
  if (found.length > 0) throw new Defect(found.join('; '));
}

function require(condition: boolean, message: string): void {
  if (!condition) throw new Defect(message);
}

async function identity({ client, expected }: Bench): Promise<string> {
  const { serial, model_profile: board, version, slot } = await client.get('/device');
  const { version: wanted = version, board: wantedBoard = board } = expected;
  requireNone([
    !serial && 'the unit has no serial number',
    version !== wanted && `the version is ${version}, not ${wanted}`,
    board !== wantedBoard && `the board is ${board}, not ${wantedBoard}`,
  ]);
  return `serial ${serial}, ${board}, version ${version}, slot ${slot}`;
}

async function health({ client }: Bench): Promise<string> {
  const state = await waitFor(
    async () => {
      const now = await client.get('/device/health');
      return now.browser.running && now;
    },
    { timeoutMs: SHORT_MS, what: 'the browser to run', intervalMs: 1000 },
  ).catch((error: unknown) => {
    throw new Defect(String(error));
  });
  const { problems, throttled, undervoltage, temperature_c: temperature } = state;
  requireNone([
    problems.length > 0 && `health reports: ${String(problems)}`,
    throttled === true && 'the processor is throttled',
    undervoltage === true && 'the supply voltage is too low',
  ]);
  return typeof temperature === 'number' ? `no problems, ${temperature} °C` : 'no problems';
}

async function storage({ client, expected }: Bench): Promise<string> {
  const { total_bytes: total } = (await client.get('/device/health')).disk;
  if (typeof total !== 'number') throw new Defect('the size of /data cannot be read');
  const { minDataBytes = 0 } = expected;
  await putBundle(client, DATA, await zip({ 'index.html': '', 'data.png': randomBytes(DATA_BYTES) }));
  // Reads the archive from the disk and compares the checksums in it.
  const check = await client.post('/content/{name}/check', { params: { name: DATA } });
  await client.delete('/content/{name}', { params: { name: DATA } });
  requireNone([
    total < minDataBytes && `/data has ${gb(total)}, not ${gb(minDataBytes)}`,
    !check.ok && `what was stored is read differently: ${check.message}`,
  ]);
  return `${gb(total)}, written and read`;
}

/** Shows the test picture. The operator is asked by a check of its own, which has no time limit. */
async function display({ client }: Bench): Promise<string> {
  const screens = await client.get('/display/screens');
  const screen = screens.find(({ primary, connected }) => primary && connected);
  if (screen === undefined) throw new Defect('no screen is connected');
  const { serial } = await client.get('/device');
  await putBundle(client, PICTURE, await testPicture(serial));
  await client.post('/display/bundle', { json: { name: PICTURE } });
  const { error } = await waitFor(
    async () => {
      const state = await client.get('/display');
      return state.mode === 'bundle' && !state.loading && state;
    },
    { timeoutMs: LONG_MS, what: 'the test picture to be shown', intervalMs: 500 },
  ).catch((error: unknown) => {
    throw new Defect(String(error));
  });
  require(!error, `the test picture is not shown: ${JSON.stringify(error)}`);
  // Runs in the page: it is painted, and as large as the screen.
  const script = 'innerWidth * devicePixelRatio + " × " + innerHeight * devicePixelRatio';
  const { result: size } = await client.post('/display/execute-js', { json: { script } });
  return `${screen.id}, page of ${String(size)} pixels`;
}

async function picture({ confirm }: Bench): Promise<string> {
  if (!confirm) throw new NotTested('nobody looked at the screen');
  const seen = await confirm(
    'Does the screen show 8 colour bars, a grey scale, the serial number, and all four corners?',
  );
  require(seen, 'the operator does not see the test picture');
  return 'confirmed by the operator';
}

/** Compares the hardware that the running system detected with the expected one. */
async function parts({ client, expected }: Bench): Promise<string> {
  const { touch_present: touch, wifi, bluetooth } = (await client.get('/device')).capabilities;
  const detected: Part[] = [];
  if (touch) detected.push('touch');
  if (wifi) detected.push('wifi');
  if (bluetooth) detected.push('bluetooth');
  const missing = expected.parts.filter((part) => part !== 'nfc' && !detected.includes(part));
  require(missing.length === 0, `not detected: ${missing.join(', ')}`);
  return `detected: ${detected.join(', ') || 'none'}`;
}

async function nfc({ client, expected }: Bench): Promise<string> {
  if (!expected.parts.includes('nfc')) throw new NotTested('no reader is expected');
  const response = await client.request('GET', '/nfc/readers');
  if (response.status === 503) throw new Defect(`NFC is off: ${describeAnswer(response)}; set nfc.enabled`);
  require(response.status === 200 && Array.isArray(response.body), describeAnswer(response));
  const present = (Array.isArray(response.body) ? response.body : []).filter(
    (reader: unknown) => field(reader, 'present') === true,
  );
  require(present.length > 0, 'no reader is connected');
  return `${present.length} connected`;
}

async function update({ client }: Bench): Promise<string> {
  const response = await client.request('GET', '/update');
  require(response.status === 200, describeAnswer(response));
  const slots = (['a', 'b'] as const).map((name) => ({
    name,
    version: field(response.body, `slots.${name}.version`),
    state: field(response.body, `slots.${name}.state`),
  }));
  const [a, b] = slots;
  const pending = field(response.body, 'pending');
  requireNone([
    ...slots.map(
      ({ name, state }) => state !== 'good' && state !== 'unknown' && `slot ${name} is ${String(state)}`,
    ),
    a?.version !== b?.version &&
      `the slots have the versions ${String(a?.version)} and ${String(b?.version)}`,
    Boolean(pending) && `an update is pending: ${String(pending)}`,
  ]);
  return `both slots ${String(a?.version)}`;
}

async function time({ client, expected }: Bench): Promise<string> {
  const { ts, time_synced: isSynced } = await client.get('/device/health');
  const clock = Date.parse(ts);
  require(Number.isFinite(clock), 'the unit has no clock');
  const error = Math.round((clock - Date.now()) / 1000);
  const { maxClockError = Number.POSITIVE_INFINITY } = expected;
  const found = `the clock differs by ${error} s from this computer's`;
  require(Math.abs(error) <= maxClockError, found);
  return isSynced === true ? `${found}, set by a server` : found;
}

export const CHECKS: readonly Check[] = [
  { name: 'identity', timeoutMs: SHORT_MS, run: identity },
  { name: 'health', timeoutMs: 2 * SHORT_MS, run: health },
  { name: 'storage', timeoutMs: LONG_MS, run: storage },
  { name: 'display', timeoutMs: 2 * LONG_MS, run: display },
  // The operator may be away for a while.
  { name: 'picture', timeoutMs: 30 * 60_000, run: picture },
  { name: 'parts', timeoutMs: SHORT_MS, run: parts },
  { name: 'nfc', timeoutMs: SHORT_MS, run: nfc },
  { name: 'update', timeoutMs: SHORT_MS, run: update },
  { name: 'time', timeoutMs: SHORT_MS, run: time },
];

/** Restores the unit: waiting page, no bundles of the test. */
export async function restore(client: Client): Promise<void> {
  const { mode } = await client.get('/display');
  if (mode !== 'waiting') await client.post('/display/waiting');
  for (const name of [PICTURE, DATA]) {
    const response = await client.request('DELETE', `/content/${name}`);
    require([204, 404].includes(response.status), `DELETE of ${name} answers ${describeAnswer(response)}`);
  }
}
