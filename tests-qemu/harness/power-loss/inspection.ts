import { messageOf } from '../../../ci/lib/problem.ts';
import { waitFor } from '../../../ci/lib/wait.ts';
import type { GuestShell } from '../../../ci/qemu/shell.ts';
import { field } from '../events.ts';
import { http } from '../http.ts';
import type { CutMachine } from './cut-machine.ts';
import { ABSENT } from './ledger.ts';
import { AUTHORITIES, BUNDLE, CONFIG, configValue, digest, SPLASH } from './workload.ts';

/** What /data is after a boot, by the initramfs's word, when its journal was all that it needed. */
const GOOD_STATES = ['created', 'clean'];
/** What health tells until the next boot when e2fsck had to do more. */
const REPAIRED = /^The file system of the data partition was damaged and has been repaired/;
const LOOK_AT_STATE = 'cat /run/vitrine/data-state /run/vitrine/data.log';
/** Prints the digests of the files, by `sha256sum`. */
const LOOK_AT_FILES = `cd /data
find . \\( -path ./log -o -path ./state -o -path ./kiosk -o -path ./lost+found \\) -prune -o -type f -print0 | xargs -0r sha256sum`;
/** The names that finished writes leave. */
const KNOWN_FILES =
  /^\.\/(?:config\.json|content\/[a-z]+\.(?:zip|json)|splash\/(?:boot\.png|rotation\.env)|certificates\/ca\.pem|rauc\/central\.raucs|display.*|\.writable)$/;
/**
 * The device writes a little of itself soon after its start, and RAUC its status, so that a file may come and go under
 * the look. What a cut has left stays.
 */
const REST_TIMEOUT_MS = 120_000;

/** Without a screen no boot is confirmed: the boot script uses up a slot's attempts and turns to the other one. */
const EXPECTED_PROBLEM = /^(?:Slot [ab] does not start or was marked bad|This boot is not confirmed)/;

export interface Findings {
  /** By key of the ledger. */
  values: Map<string, string>;
  /** What must not be, whatever was asked for. */
  problems: string[];
  /** The initramfs's word for /data. */
  dataState: string;
  /** What e2fsck said, when /data needed more than its journal. */
  repair: string[];
}

/**
 * Looks at everything that the device remembers, through the API and in its files.
 * @param torn whether the cut before left a write in part. Of such a block ext4 can only tell that it is neither old nor
 * new. Two were seen for which it has e2fsck check everything although nothing is lost: its superblock, read before the
 * journal that would mend it, and the block that commits a transaction, which ended without having been confirmed. So a
 * repair is no problem then; what it must not have lost is in the values. After any other cut the journal is enough.
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
  ).catch((error: unknown) => problems.push(messageOf(error)));
  for (const file of unknown()) problems.push(`there is a file ${file}`);
  let told: unknown;
  await waitFor(
    async () => {
      told = field(await get('/device/health'), 'problems');
      return !String(told).includes('is still being read');
    },
    { timeoutMs: REST_TIMEOUT_MS, what: 'every bundle to be read' },
  ).catch((error: unknown) => problems.push(messageOf(error)));
  for (const problem of Array.isArray(told) ? told.map(String) : ['health tells no list of problems']) {
    const expected = EXPECTED_PROBLEM.test(problem) || (mayBeRepaired && REPAIRED.test(problem));
    if (!expected) problems.push(`health: ${problem}`);
  }

  const bundles = field(await get('/content'), 'bundles');
  for (const bundle of Array.isArray(bundles) ? bundles : []) {
    const [name, sha256] = [String(field(bundle, 'name')), String(field(bundle, 'sha256'))];
    values.set(BUNDLE + name, sha256);
    const file = files.get(`./content/${name}.zip`) ?? ABSENT;
    if (file !== sha256) problems.push(`${name}.zip is ${file}, listed as ${sha256}`);
    const { body } = await http('POST', `${machine.api}/content/${name}/check`);
    if (field(body, 'ok') !== true) problems.push(`the check of ${name} says ${JSON.stringify(body)}`);
  }
  for (const file of files.keys()) {
    const name = /^\.\/content\/(.*)\.(?:zip|json)$/.exec(file)?.[1];
    if (name !== undefined && !values.has(BUNDLE + name))
      problems.push(`${file} is of no bundle that is listed`);
  }

  const config = await get('/config');
  values.set(CONFIG, configValue(field(config, 'audio.volume'), field(config, 'device.name')));
  const splash = files.get('./splash/boot.png');
  if (splash) {
    values.set(SPLASH, splash);
    const { bytes } = await http('GET', `${machine.api}/files/splash`);
    if (digest(bytes) !== splash) problems.push('the splash image is not the file that is kept');
  }
  const authorities = files.get('./certificates/ca.pem');
  if (authorities) values.set(AUTHORITIES, authorities);
  return { values, problems, dataState, repair };
}

/** By name, from /data. Throws when a file goes away meanwhile. */
async function digests(shell: GuestShell): Promise<Map<string, string>> {
  const lines = (await shell.ok(LOOK_AT_FILES)).split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}
