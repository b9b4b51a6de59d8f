/** Makes real certificates for tests with OpenSSL's command line. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate and its key, both PEM. */
export interface Issued {
  cert: string;
  /** PKCS#8. */
  key: string;
}

export interface CertificateOptions {
  name: string;
  /** PKCS#8; a new P-256 key when left out. */
  key?: string;
  /** Signs the certificate; self-signed when left out. */
  issuer?: Issued;
  /** Lines of OpenSSL's extension section; default: a server for `localhost`, 127.0.0.1 and 10.0.2.2. */
  extensions?: string[];
  /** Negative: expired. */
  days?: number;
  digest?: 'sha1' | 'sha256';
}

export const CA_EXTENSIONS = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];
const SERVER_EXTENSIONS = [
  'basicConstraints=CA:FALSE',
  'extendedKeyUsage=serverAuth',
  'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:10.0.2.2',
];

const pem = (key: import('node:crypto').KeyObject): string =>
  String(key.export({ type: 'pkcs8', format: 'pem' }));
export const ecKey = (namedCurve = 'P-256'): string =>
  pem(generateKeyPairSync('ec', { namedCurve }).privateKey);
export const rsaKey = (modulusLength = 2048): string =>
  pem(generateKeyPairSync('rsa', { modulusLength }).privateKey);
export const ed25519Key = (): string => pem(generateKeyPairSync('ed25519').privateKey);

export function certificate({
  name,
  key = ecKey(),
  issuer,
  extensions,
  days = 30,
  digest = 'sha256',
}: CertificateOptions): Issued {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-certificates-'));
  const file = (of: string, text: string): string => {
    writeFileSync(join(folder, of), text, { mode: 0o600 });
    return join(folder, of);
  };
  const out = join(folder, 'out.pem');
  const keyFile = file('key.pem', key);
  const config = file(
    'config',
    `[req]\ndistinguished_name=dn\n[dn]\n[v3]\n${(extensions ?? SERVER_EXTENSIONS).join('\n')}\n`,
  );
  const subject = ['-subj', `/CN=${name}`];
  const validity = ['-days', String(days), `-${digest}`];
  try {
    if (issuer) {
      const request = join(folder, 'request.pem');
      openssl('req', '-new', '-key', keyFile, ...subject, '-config', config, '-out', request);
      const ca = [
        '-CA',
        file('ca.pem', issuer.cert),
        '-CAkey',
        file('ca.key', issuer.key),
        '-CAcreateserial',
      ];
      const added = ['-extfile', config, '-extensions', 'v3'];
      openssl('x509', '-req', '-in', request, ...ca, ...validity, ...added, '-out', out);
    } else {
      const options = ['-config', config, '-extensions', 'v3', '-key', keyFile];
      openssl('req', '-new', '-x509', ...options, ...subject, ...validity, '-out', out);
    }
    return { cert: readFileSync(out, 'utf8'), key };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const authority = (name: string, issuer?: Issued): Issued =>
  certificate({ name, extensions: CA_EXTENSIONS, ...(issuer ? { issuer } : {}) });

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe', timeout: 30_000 });
}
