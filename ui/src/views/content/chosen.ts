/** What the user has chosen to upload, looked at before anything is sent. */
import { readArchive } from '../../../../client/bundle/archive.ts';
import { blobContent } from '../../../../client/bundle/file-content.ts';
import { type Problem, problemOf } from '../../../../client/bundle/root-page.ts';
import { ActionError } from '../../app/failure.ts';
import { t } from '../../app/texts.ts';
import type { Picked } from './picked.ts';

export interface Chosen {
  readonly picked: Picked;
  /** Files in it. */
  readonly count: number;
  /** Of the archive, or of all files before they are packed. */
  readonly bytes: number;
  /** Why the device would refuse it. */
  readonly problem: Problem | { readonly kind: 'no_zip' | 'encrypted' } | undefined;
}

/** @throws ActionError if it cannot be read */
export async function examine(picked: Picked): Promise<Chosen> {
  if (picked.kind === 'zip') return await examineZip(picked, picked.file);
  const { files } = picked;
  return {
    picked,
    count: files.length,
    bytes: files.reduce((sum, { file }) => sum + file.size, 0),
    problem: problemOf(files.map(({ path }) => path)),
  };
}

async function examineZip(picked: Picked, file: File): Promise<Chosen> {
  const archive = await readArchive(blobContent(file)).catch(() => {
    throw new ActionError(t('content.unreadable', { path: file.name }));
  });
  const bytes = file.size;
  if (!archive) return { picked, count: 0, bytes, problem: { kind: 'no_zip' } };
  const count = archive.paths.filter((path) => !path.endsWith('/')).length;
  const problem = archive.isEncrypted ? { kind: 'encrypted' as const } : problemOf(archive.paths);
  return { picked, count, bytes, problem };
}

/** Longest part of a path in a sentence. */
const SHOWN_CHARACTERS = 100;

/** What is wrong and what to do; undefined if nothing is. */
export function problemWords({ picked, problem }: Chosen): string | undefined {
  if (!problem) return undefined;
  const kind = problem.kind === 'inside' && picked.kind === 'zip' ? 'inside_zip' : problem.kind;
  return t(`content.problem_${kind}`, {
    what: 'what' in problem ? problem.what.slice(0, SHOWN_CHARACTERS) : '',
  });
}
