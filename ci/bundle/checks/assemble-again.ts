/**
 * Assembles the virt image once more from the parts in the cache, for the check of reproducibility. As a script,
 * `assemble-again.ts PROJECT RESULT`, it does the same: it runs itself that way in a user namespace.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asNamespaceRoot, beginBuild, imageParts } from '../../image/build.ts';
import { fillImage } from '../../image/lib/assembly.ts';
import { Cache } from '../../image/lib/cache.ts';
import { cacheFolder } from '../../lib/places.ts';
import { command, Problem } from '../../lib/problem.ts';

/**
 * @param project a copy of the project's folders overlay, board and ci
 * @param result an empty folder on the cache's file system
 */
export async function assembleAgain(project: string, result: string): Promise<void> {
  if (process.getuid?.() === 0) return await assembleAsRoot(project, result);
  const made = await asNamespaceRoot(fileURLToPath(import.meta.url), [project, result]);
  if (made === undefined) throw new Problem('the image could not be assembled again.');
}

async function assembleAsRoot(project: string, result: string): Promise<void> {
  process.umask(0o022);
  const cache = new Cache(join(cacheFolder(), 'image'));
  await cache.exclusively(async () => {
    const build = await beginBuild(cache);
    const parts = await imageParts(build);
    await fillImage({ ...build, source: project }, parts, result);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const [project = '', result = ''] = process.argv.slice(2);
    await assembleAsRoot(project, result);
    return 0;
  });
}
