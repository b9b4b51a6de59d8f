import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A short hash of texts, 24 hexadecimal digits. The order of the texts counts. */
export function hashOf(...texts: string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${Buffer.byteLength(text)}:`).update(text);
  return hash.digest('hex').slice(0, 24);
}

/**
 * Hash of files and whole folders below `base`: names, contents, link targets and the executable bit, as in git. Times,
 * owners and the umask of the checkout do not count. A missing path counts as "absent".
 */
export function hashFiles(base: string, paths: string[]): string {
  const found: string[] = [];
  const walk = (path: string): void => {
    const full = join(base, path);
    const stat = lstatSync(full, { throwIfNoEntry: false });
    if (!stat) found.push(path, 'absent');
    else if (stat.isSymbolicLink()) found.push(path, 'link', readlinkSync(full));
    else if (stat.isDirectory()) {
      for (const name of readdirSync(full).sort()) walk(join(path, name));
    } else {
      const content = createHash('sha256').update(readFileSync(full)).digest('hex');
      found.push(path, (stat.mode & 0o100) === 0 ? 'file' : 'program', content);
    }
  };
  for (const path of [...paths].sort()) walk(path);
  return hashOf(...found);
}
