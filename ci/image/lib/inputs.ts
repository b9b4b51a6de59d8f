/** Inputs of an image that come from the user who builds it, for both ways of building the root filesystem. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../lib/places.ts';
import { Problem } from '../../lib/problem.ts';
import { run } from './run.ts';

/** The folder of the user's own update signing key. Unlike the cache it must not be deleted. */
export function keyFolder(): string {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'vitrine', 'update-key');
}

/** The version of the image. */
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

/** Copies a key pair that make-key.sh created in `work` to the user's folder and returns the keyring. */
export async function keepKey(work: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The keyring is copied last: its presence means that the folder is complete.
  for (const name of ['signing.key', 'signing.pem', 'keyring.pem']) {
    const mode = name.endsWith('.key') ? '600' : '644';
    await run('install', ['-m', mode, join(work, name), join(folder, name)]);
  }
  return join(folder, 'keyring.pem');
}
