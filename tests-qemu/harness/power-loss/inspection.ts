import { errorMessage } from '../../../agent/src/base/system-error.ts';
import type { GuestShell } from '../../../ci/qemu/shell.ts';
import { http } from '../../../client/http.ts';
import { field } from '../../../testing/field.ts';
import { waitFor } from '../../../testing/wait.ts';
import type { CutMachine } from './cut-machine.ts';
import { ABSENT } from './ledger.ts';
import { AUTHORITIES, BUNDLE, CONFIG, configValue, digest, SPLASH, UPDATE, updateValue } from './workload.ts';

/** States that the initramfs reports for /data when replaying its journal was enough. */
const GOOD_STATES = ['created', 'clean'];
/** The problem that health reports until the next boot when e2fsck had to repair more. */
const REPAIRED = /^The file system of the data partition was damaged and has been repaired/;
const LOOK_AT_STATE = 'cat /run/vitrine/data-state /run/vitrine/data.log';
/** Prints the digests of the files, by `sha256sum`. */
const LOOK_AT_FILES = `cd /data
find . \\( -path ./log -o -path ./state -o -path ./kiosk -o -path ./lost+found -o -path ./.write-trial \\) -prune -o -type f -print0 | xargs -0r sha256sum`;
/** The names of files that completed writes leave. */
const KNOWN_FILES =
  /^\.\/(?:config\.json|content\/[a-z]+\.\d+\.\d+\.[0-9a-f]{64}\.zip|splash\/(?:boot\.png|rotation\.env)|certificates\/ca\.pem|rauc\/central\.raucs|rauc\/slots\/.*|update\/state\.json|display.*|\.writable)$/;
/**
 * Time limit for temporary files to disappear and services to answer: soon after its start the device writes some files by
 * itself, and RAUC its status; a busy computer starts them late. Leftovers of a power cut do not disappear.
 */
const REST_TIMEOUT_MS = 120_000;

/**
 * Without a screen no boot is confirmed: the boot script uses up a slot's attempts and switches to the other one. Updates
 * of the test do not start, and some are interrupted.
 */
const EXPECTED_PROBLEM =
  /^(?:Slot [ab] does not start or was marked bad|This boot is not confirmed|The update to \S+ was rolled back|Slot [ab] holds an incomplete update)/;

export interface Findings {
  /** By the keys of the ledger. */
  values: Map<string, string>;
  /** Problems that are independent of the requests. */
  problems: string[];
  /** State of /data as reported by the initramfs. */
  dataState: string;
  /** Output of e2fsck, if /data needed more than its journal. */
  repair: string[];
}

/**
 * Reads everything that the device stores, through the API and from its files.
 * @param torn whether the previous cut left a torn write, in which case a repair by e2fsck is no problem. ext4 can only
 * detect that a torn block is neither old nor new. For two kinds of blocks it then requires a full check although nothing
 * is lost: the superblock, which is read before the journal that would restore it, and the commit block of a transaction
 * that was never confirmed. The values show whether data was lost. After any other cut the journal must be enough.
 */
export async function inspect(machine: CutMachine, torn: boolean): Promise<Findings> {
  const values = new Map<string, string>();
  const problems: string[] = [];
  const get = async (path: string): Promise<unknown> => {
    const { status, body, bytes } = await http('GET', machine.api + path);
    if (status !== 200) problems.push(`GET ${path}: ${status} ${bytes.toString().slice(0, 300)}`);
    return body ?? bytes;
  };

  const [dataState = '', ...log] = (await machine.shell.ok(LOOK_AT_STATE)).split('\n');
  const repair = GOOD_STATES.includes(dataState) ? [] : log;
  const mayBeRepaired = torn && dataState === 'repaired';
  if (!GOOD_STATES.includes(dataState) && !mayBeRepaired) problems.push(`/data is ${dataState}:`, ...log);
  let files = new Map<string, string>();
  const unknown = (): string[] => [...files.keys()].filter((file) => !KNOWN_FILES.test(file));
  await waitFor(
    async () => {
      files = await digests(machine.shell);
      return unknown().length === 0;
    },
    { timeoutMs: REST_TIMEOUT_MS, what: 'nothing but files of finished writes in /data' },
  ).catch((error: unknown) => problems.push(errorMessage(error)));
  for (const file of unknown()) problems.push(`unexpected file ${file}`);
  await waitFor(() => servicesAnswer(machine.api), {
    timeoutMs: REST_TIMEOUT_MS,
    what: 'RAUC and the sound server to answer',
  }).catch((error: unknown) => problems.push(errorMessage(error)));
  const told = field(await get('/device/health'), 'problems');
  for (const problem of Array.isArray(told) ? told.map(String) : ['health contains no list of problems']) {
    const expected = EXPECTED_PROBLEM.test(problem) || (mayBeRepaired && REPAIRED.test(problem));
    if (!expected) problems.push(`health: ${problem}`);
  }

  const bundles = field(await get('/content'), 'bundles');
  for (const bundle of Array.isArray(bundles) ? bundles : []) {
    const [name, sha256] = [String(field(bundle, 'name')), String(field(bundle, 'sha256'))];
    values.set(BUNDLE + name, sha256);
    const stored = [...files].filter(([file]) => file.startsWith(`./content/${name}.`));
    const found = stored.map(([, sum]) => sum).join(', ');
    if (found !== sha256) problems.push(`${name} is ${found || ABSENT} on the disk, listed as ${sha256}`);
    const { body } = await http('POST', `${machine.api}/content/${name}/check`);
    if (field(body, 'ok') !== true) problems.push(`the check of ${name} says ${JSON.stringify(body)}`);
  }
  for (const file of files.keys()) {
    const name = /^\.\/content\/([^.]+)\./.exec(file)?.[1];
    if (name !== undefined && !values.has(BUNDLE + name))
      problems.push(`${file} belongs to no listed bundle`);
  }

  const update = await get('/update');
  const pending = field(update, 'pending');
  if (pending !== null) values.set(UPDATE, updateValue.pending(pending));
  else if (field(update, 'last_result.outcome') === 'rolled_back') {
    values.set(UPDATE, updateValue.tried(field(update, 'last_result.version')));
  }
  const config = await get('/config');
  values.set(CONFIG, configValue(field(config, 'audio.volume'), field(config, 'device.name')));
  const splash = files.get('./splash/boot.png');
  if (splash) {
    values.set(SPLASH, splash);
    const { bytes } = await http('GET', `${machine.api}/files/splash`);
    if (digest(bytes) !== splash) problems.push('the splash image differs from the stored file');
  }
  const authorities = files.get('./certificates/ca.pem');
  if (authorities) values.set(AUTHORITIES, authorities);
  return { values, problems, dataState, repair };
}

/** Whether the services that the agent needs have started. */
async function servicesAnswer(api: string): Promise<boolean> {
  const { status } = await http('GET', `${api}/update`);
  const problems = field((await http('GET', `${api}/device/health`)).body, 'problems');
  return status === 200 && !String(problems).includes('does not answer');
}

/** The SHA-256 digests of the files in /data, by name. Throws when a file disappears meanwhile. */
async function digests(shell: GuestShell): Promise<Map<string, string>> {
  const lines = (await shell.ok(LOOK_AT_FILES)).split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}
