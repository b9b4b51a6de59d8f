/** How rauc inside the builder root reaches the signer's key and certificates. */
import { existsSync } from 'node:fs';
import { Problem } from '../lib/problem.ts';

/** Options of the command line that name the signer. */
export const SIGNER_OPTIONS = {
  cert: { type: 'string', value: 'FILE', help: "the signer's certificate" },
  key: { type: 'string', value: 'KEY', help: "the signer's private key: a file or a PKCS#11 URI" },
  intermediate: {
    type: 'string',
    value: 'FILE',
    help: 'a certificate between that of the signer and the authority',
  },
} as const;

/** Who signs. */
export interface Signer {
  /** The certificate, a PEM file. */
  cert: string;
  /** The private key: a PEM file, or the PKCS#11 URI of a key in a token. */
  key: string;
  /** The certificate between signer and authority, a PEM file. */
  intermediate?: string;
}

/** Options and environment of rauc, and the files to mount; see `inBuilder`. */
export interface SignerOptions {
  options: string[];
  env: Record<string, string>;
  files: Record<string, string>;
}

/** Forwards every call to the server behind P11_KIT_SERVER_ADDRESS, so that the token's own driver runs on the host. */
const PKCS11_CLIENT = '/usr/lib/x86_64-linux-gnu/pkcs11/p11-kit-client.so';

/**
 * Throws a {@link Problem} when a file does not exist, when no server forwards the token, and when the URI contains the
 * PIN, which other users could then read in the list of processes.
 * @param env the environment: P11_KIT_SERVER_ADDRESS, as `p11-kit server` prints it
 */
export function signerOptions({ cert, key, intermediate }: Signer, env: NodeJS.ProcessEnv): SignerOptions {
  const files: Record<string, string> = { 'signer.pem': cert };
  const options = ['--cert=/tmp/signer.pem'];
  const variables: Record<string, string> = {};
  if (key.startsWith('pkcs11:')) {
    if (/[;?&]pin-value=/.test(key)) {
      throw new Problem('the URI of the key must not contain the PIN: set RAUC_PKCS11_PIN to it.');
    }
    const socket = /^unix:path=([^;]+)$/.exec(env.P11_KIT_SERVER_ADDRESS ?? '')?.[1];
    if (!socket) {
      throw new Problem(
        'the key is in a token, and P11_KIT_SERVER_ADDRESS is not set: start "p11-kit server" (docs/releasing.md, "Keys").',
      );
    }
    files.token = decodeURIComponent(socket);
    options.push(`--key=${key}`);
    variables.RAUC_PKCS11_MODULE = PKCS11_CLIENT;
    variables.P11_KIT_SERVER_ADDRESS = 'unix:path=/tmp/token';
  } else {
    files['signer.key'] = key;
    options.push('--key=/tmp/signer.key');
  }
  if (intermediate) {
    files['intermediate.pem'] = intermediate;
    options.push('--intermediate=/tmp/intermediate.pem');
  }
  for (const path of Object.values(files)) {
    if (!existsSync(path)) throw new Problem(`there is no file ${path}, which is needed to sign the bundle.`);
  }
  return { options, env: variables, files };
}
