import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { ROOT } from '../lib/places.ts';
import { Problem } from '../lib/problem.ts';
import { projectFiles, runTool } from '../lib/tool.ts';
import { graphOf } from './graph.ts';
import type { Change } from './selection.ts';

const GIT_TIMEOUT_MS = 60_000;

async function git(...args: string[]): Promise<string> {
  // The clone may belong to another user, as when root runs the tests.
  const { ok, output } = await runTool('git', ['-c', 'safe.directory=*', ...args], GIT_TIMEOUT_MS);
  if (!ok) throw new Error(output.trim());
  return output;
}

/** The default base revision: the branch's upstream, else `main`, else the last commit. */
async function defaultBase(): Promise<string> {
  for (const revision of ['@{upstream}', 'main']) {
    const commit = await git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`).catch(() => '');
    if (commit !== '') return revision;
  }
  return 'HEAD';
}

/**
 * The files that differ, committed or not, from the commit where this branch left the base, and the files and graph of
 * the whole project. Throws a {@link Problem} when the base is not a revision.
 */
export async function changeSince(base?: string): Promise<Change & { base: string }> {
  const revision = base ?? (await defaultBase());
  const fork = await git('merge-base', 'HEAD', revision).catch((error: unknown) => {
    throw new Problem(
      `"${revision}" is not a revision with which HEAD has a common ancestor: ${errorMessage(error)}`,
    );
  });
  const differing = await git('diff', '--name-only', '--no-renames', '-z', fork.trim(), '--');
  const untracked = await git('ls-files', '-z', '--others', '--exclude-standard');
  const changed = [...new Set(`${differing}${untracked}`.split('\0').filter(Boolean))].sort();
  const files = (await projectFiles()).filter((path) => existsSync(join(ROOT, path)));
  const sources = new Map<string, string>();
  for (const path of files) {
    if (path.endsWith('.ts')) sources.set(path, await readFile(join(ROOT, path), 'utf8'));
  }
  // Other files may still refer to a deleted file, so it is part of the graph.
  const graph = graphOf([...files, ...changed], sources);
  return { base: revision, changed, files, graph };
}
