/** How rauc inside the builder root reaches the signer's key and certificates. */
import { existsSync } from 'node:fs';
import { Problem } from '../lib/problem.ts';

/** Files of this computer that sign. */
export interface Signer {
  cert: string;
  /** PEM file or PKCS#11 URI. */
  key: string;
  intermediate?: string;
}

/** Options and environment of rauc, and the files to mount; see `inBuilder`. */
export interface SignerOptions {
  options: string[];
  env: Record<string, string>;
  files: Record<string, string>;
}

/** Throws a {@link Problem} when a file does not exist. */
export function signerOptions({ cert, key, intermediate }: Signer): SignerOptions {
  const files: Record<string, string> = { 'signer.pem': cert, 'signer.key': key };
  if (intermediate) files['intermediate.pem'] = intermediate;
  for (const path of Object.values(files)) {
    if (!existsSync(path)) throw new Problem(`there is no file ${path}, which should sign the bundle.`);
  }
  const options = ['--cert=/tmp/signer.pem', '--key=/tmp/signer.key'];
  if (intermediate) options.push('--intermediate=/tmp/intermediate.pem');
  return { options, env: {}, files };
}
