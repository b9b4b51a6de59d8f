/**
 * Assembles the virt image, or only the root file system of a slot, once more from the parts in the cache, for the checks
 * of reproducibility. As a script, `assemble-again.ts image|rootfs PROJECT RESULT`, it does the same: it runs itself that
 * way in a user namespace.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asNamespaceRoot, beginBuild, imageParts } from '../../image/build.ts';
import { fillImage, fillRootfs } from '../../image/lib/assembly.ts';
import { Cache } from '../../image/lib/cache.ts';
import { cacheFolder, ROOT } from '../../lib/places.ts';
import { command, Problem } from '../../lib/problem.ts';

type What = 'image' | 'rootfs';

const COPY_TIMEOUT_MS = 120_000;
const COMPARE_TIMEOUT_MS = 120_000;

/**
 * Assembles at another time, from a checkout with another path, another umask and other times.
 * @param result an empty folder on the cache's file system
 */
export async function assembleAgain(what: What, result: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-again-'));
  try {
    const project = join(folder, 'another checkout');
    mkdirSync(project);
    const copy =
      'umask 077; cp -R "$0/overlay" "$0/board" "$0/ci" "$1"; find "$1" -exec touch -d 2001-02-03 {} +';
    execFileSync('sh', ['-euc', copy, ROOT, project], { timeout: COPY_TIMEOUT_MS });
    if (process.getuid?.() === 0) return await assembleAsRoot(what, project, result);
    const made = await asNamespaceRoot(fileURLToPath(import.meta.url), [what, project, result]);
    if (made === undefined) throw new Problem('the image could not be assembled again.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Throws when two files differ. @param options of cmp(1) */
export function requireSameBytes(one: string, other: string, ...options: string[]): void {
  execFileSync('cmp', [...options, one, other], { timeout: COMPARE_TIMEOUT_MS });
}

async function assembleAsRoot(what: What, project: string, result: string): Promise<void> {
  process.umask(0o022);
  const cache = new Cache(join(cacheFolder(), 'image'));
  await cache.exclusively(async () => {
    const build = await beginBuild(cache);
    const parts = await imageParts(build);
    const fill = what === 'image' ? fillImage : fillRootfs;
    await fill({ ...build, source: project }, parts, result);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const [what, project = '', result = ''] = process.argv.slice(2);
    await assembleAsRoot(what === 'image' ? 'image' : 'rootfs', project, result);
    return 0;
  });
}
