/** What an image takes from its builder, whichever way its root filesystem is made. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../lib/places.ts';
import { Problem } from '../../lib/problem.ts';
import { run } from './run.ts';

/** Where the user's own update signing key lives; unlike the cache it is not to be thrown away. */
export function keyFolder(): string {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'vitrine', 'update-key');
}

/** The version that the image says it has. */
export function projectVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) {
    throw new Problem('package.json has no version.');
  }
  return String(manifest.version);
}

/** The keyring that VITRINE_KEYRING names, else the one in the user's folder, else undefined. */
export function existingKeyring(folder: string): string | undefined {
  const named = process.env.VITRINE_KEYRING;
  if (named) return named;
  const own = join(folder, 'keyring.pem');
  return existsSync(own) ? own : undefined;
}

/** Puts a key pair that make-key.sh left in `work` into the user's folder, and gives its keyring. */
export async function keepKey(work: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The keyring comes last: with it the folder is complete.
  for (const name of ['signing.key', 'signing.pem', 'keyring.pem']) {
    const mode = name.endsWith('.key') ? '600' : '644';
    await run('install', ['-m', mode, join(work, name), join(folder, name)]);
  }
  return join(folder, 'keyring.pem');
}
