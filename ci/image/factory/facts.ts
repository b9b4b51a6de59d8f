/** Reads from a built image what it contains. Needs no privileges: debugfs reads the root file system from its file. */
import { X509Certificate } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Problem } from '../../lib/problem.ts';
import { run } from '../lib/run.ts';

const SECTOR = 512;
const ENTRY = 128;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export interface Partition {
  label: string;
  /** Both in bytes. */
  offset: number;
  size: number;
}

/** The partitions of a disk image with a GPT, in the order of the table. */
export async function partitionsOf(disk: string): Promise<Partition[]> {
  const table = Buffer.alloc(34 * SECTOR);
  const file = await open(disk);
  try {
    await file.read(table, 0, table.length, 0);
  } finally {
    await file.close();
  }
  if (table.toString('latin1', SECTOR, SECTOR + 8) !== 'EFI PART') throw new Problem(`${disk} has no GPT.`);
  const partitions: Partition[] = [];
  for (let at = 2 * SECTOR; at + ENTRY <= table.length; at += ENTRY) {
    const first = Number(table.readBigUInt64LE(at + 32));
    const last = Number(table.readBigUInt64LE(at + 40));
    if (first === 0) continue;
    const label = table.toString('utf16le', at + 56, at + ENTRY).replace(/\0.*$/s, '');
    partitions.push({ label, offset: first * SECTOR, size: (last + 1 - first) * SECTOR });
  }
  return partitions;
}

export interface ImageFacts {
  version: string;
  board: string;
  /** RAUC's `compatible`. */
  compatible: string;
  /** ISO date of all files: that of the package index, or of the last commit for images of Buildroot. */
  filesDate: string;
  /** SHA-256 fingerprints of the certificates that verify updates. */
  keyring: string[];
  /** The lines of the list of Debian packages, `name version`; undefined in images of Buildroot. */
  packages: string[] | undefined;
}

/** Reads the facts from the root file system in `rootfs`, a file with ext4. */
export async function imageFacts(rootfs: string): Promise<ImageFacts> {
  const ask = (request: string): Promise<string> => run('debugfs', ['-R', request, rootfs]);
  const read = async (path: string): Promise<string> => {
    const text = await ask(`cat ${path}`);
    // debugfs reports a missing file on stderr only, and ends with 0.
    if (!text) throw new Problem(`${rootfs} has no ${path}.`);
    return text;
  };
  const match = (text: string, pattern: RegExp, what: string): string => {
    const found = pattern.exec(text)?.[1];
    if (found === undefined) throw new Problem(`${what} of ${rootfs} cannot be read.`);
    return found;
  };
  const release = await read('/usr/lib/os-release');
  const times = await ask('stat /usr/lib/clock-epoch');
  const seconds = Number.parseInt(match(times, /^ *mtime: 0x([0-9a-f]+)/m, 'the date'), 16);
  const packages = await ask('cat /usr/share/vitrine-packages.txt');
  return {
    version: match(release, /^VERSION_ID=(.+)$/m, 'the version'),
    board: match(release, /^VARIANT_ID=(.+)$/m, 'the board'),
    compatible: match(await read('/etc/rauc/system.conf'), /^compatible=(.+)$/m, 'compatible'),
    filesDate: new Date(seconds * 1000).toISOString(),
    keyring: ((await read('/etc/rauc/keyring.pem')).match(CERTIFICATE) ?? []).map(
      (pem) => new X509Certificate(pem).fingerprint256,
    ),
    packages: packages ? packages.trim().split('\n') : undefined,
  };
}
