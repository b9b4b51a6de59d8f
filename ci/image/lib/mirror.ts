import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { writeFileAtomic } from '../../../agent/src/base/atomic-file.ts';
import { Problem } from '../../lib/problem.ts';
import { CommandError, run } from './run.ts';

/** Folders with everything that apt's answer follows from: its configuration, its sources and their downloaded indexes. */
const APT_FOLDERS = [
  '/etc/apt',
  '/etc/apt/apt.conf.d',
  '/etc/apt/sources.list.d',
  '/etc/apt/preferences.d',
  '/var/lib/apt/lists',
];

const Answer = Type.Object({ state: Type.String(), mirror: Type.String() });

/**
 * The mirror: VITRINE_MIRROR, else the one from which the host's apt gets Debian, else mmdebstrap's default. The host's apt
 * takes a second to tell, so its answer is kept until its files change.
 * @param cache an existing folder for the answer
 * @param folders for tests
 */
export async function findMirror(cache: string, folders: readonly string[] = APT_FOLDERS): Promise<string> {
  const override = process.env.VITRINE_MIRROR;
  if (override) return override;
  const file = join(cache, 'mirror.json');
  const state = [process.env.APT_CONFIG ?? '', ...folders.flatMap(stateOf)].join('\n');
  const kept = readAnswer(file);
  if (kept?.state === state) return kept.mirror;
  const told = await hostMirror();
  const mirror = told || (await mmdebstrapMirror());
  // A failure of apt is not kept.
  if (told === undefined) return mirror;
  const answer: Static<typeof Answer> = { state, mirror };
  await writeFileAtomic(file, `${JSON.stringify(answer)}\n`);
  return mirror;
}

/** Names, sizes and times of a folder's files. */
function stateOf(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch {
    return [folder];
  }
  return names.map((name) => {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    return `${path} ${found?.size} ${found?.mtimeMs}`;
  });
}

function readAnswer(file: string): Static<typeof Answer> | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Value.Check(Answer, kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Empty if the host's apt does not get Debian, undefined if it fails. */
async function hostMirror(): Promise<string | undefined> {
  const targets = await run('apt-get', [
    ...['indextargets', '--format', '$(REPO_URI) $(RELEASE)', 'Created-By: Packages', 'Origin: Debian'],
    'Label: Debian',
  ]).catch(() => undefined);
  return targets?.split('\n')[0]?.split(' ')[0]?.replace(/\/$/, '');
}

async function mmdebstrapMirror(): Promise<string> {
  // mmdebstrap writes sources.list before this hook; the hook prints it and makes mmdebstrap stop.
  const answer = await run('mmdebstrap', [
    ...['--mode=root', '--variant=custom', '--skip=update,download,cleanup', '--format=null'],
    ...['--setup-hook=cat "$1"/etc/apt/sources.list >&2; false', 'stable'],
  ]).catch((error: unknown) => (error instanceof CommandError ? error.output : ''));
  const uri = /^deb (?:\[.*\] )?(\S+) stable /m.exec(answer)?.[1];
  if (!uri) throw new Problem('no Debian package mirror is known here: set VITRINE_MIRROR to one.');
  return uri.replace(/\/$/, '');
}
