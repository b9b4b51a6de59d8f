/** Parses `make show-info` and checks the packages' metadata and hash files. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** The checked fields of a package. Root filesystems and virtual packages lack most of them. */
const Package = Type.Object({
  type: Type.String(),
  virtual: Type.Optional(Type.Boolean()),
  version: Type.Optional(Type.String()),
  licenses: Type.Optional(Type.String()),
  license_files: Type.Optional(Type.Array(Type.String())),
  downloads: Type.Optional(
    Type.Array(Type.Object({ source: Type.String(), uris: Type.Array(Type.String()) })),
  ),
  hashes: Type.Optional(Type.Array(Type.String())),
  package_dir: Type.Optional(Type.String()),
});
export type Package = Type.Static<typeof Package>;
const ShowInfo = Type.Record(Type.String(), Package);

/** The packages of a configuration by name; the names of host packages begin with `host-`. */
export function packagesOf(showInfo: string): Map<string, Package> {
  return new Map(Object.entries(Value.Parse(ShowInfo, JSON.parse(showInfo))));
}

/** A line of a hash file: `sha256  SUM  NAME`. */
interface Sum {
  kind: string;
  name: string;
}

/** The entries of a hash file. @throws Error on an invalid line */
export function sumsOf(hashFile: string): Sum[] {
  const sums: Sum[] = [];
  for (const line of hashFile.split('\n')) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [kind, sum, name, ...more] = line.trim().split(/\s+/);
    const digits = { md5: 32, sha1: 40, sha224: 56, sha256: 64, sha384: 96, sha512: 128 }[kind ?? ''];
    if (!kind || !sum || !name || more.length > 0 || !digits || !/^[0-9a-f]+$/.test(sum)) {
      throw new Error(`no line of a hash file: ${line}`);
    }
    if (sum.length !== digits) throw new Error(`${name}: a ${kind} has ${digits} digits`);
    sums.push({ kind, name });
  }
  return sums;
}

/** The names of the files that a package downloads; none when its sources are a local folder. */
function downloadsOf({ downloads = [] }: Package): string[] {
  return downloads.filter(({ uris }) => !uris[0]?.startsWith('local+')).map(({ source }) => source);
}

/** The names of the files with a strong checksum in a package's hash files. */
async function strongSums(info: Package, buildrootDir: string): Promise<Set<string>> {
  const names = new Set<string>();
  for (const path of info.hashes ?? []) {
    for (const { kind, name } of sumsOf(await readFile(resolve(buildrootDir, path), 'utf8'))) {
      if (kind !== 'md5' && kind !== 'sha1') names.add(name);
    }
  }
  return names;
}

/**
 * Finds the files without a checksum: all downloads of all packages, and the license files of packages in the folder
 * `own`. Returns one line per file.
 */
export async function uncovered(
  packages: ReadonlyMap<string, Package>,
  buildrootDir: string,
  own: string,
): Promise<string[]> {
  const missing: string[] = [];
  for (const [name, info] of packages) {
    const downloads = downloadsOf(info);
    if (downloads.length === 0) continue;
    const isOwn = info.package_dir?.startsWith(own) ?? false;
    const sums = await strongSums(info, buildrootDir);
    for (const file of [...downloads, ...(isOwn ? (info.license_files ?? []) : [])]) {
      if (!sums.has(file)) missing.push(`${name}: no sum of ${file}`);
    }
  }
  return missing;
}

/** Checks that every package of `names` is listed with a version, licenses and license files. Returns the problems. */
export function unlisted(packages: ReadonlyMap<string, Package>, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const info = packages.get(name);
    if (!info) return [`${name} is not listed`];
    const wrong = [];
    if (!info.version) wrong.push(`${name} has no version`);
    if (!info.licenses || info.licenses === 'unknown') wrong.push(`${name} has no license`);
    if (!info.license_files?.length) wrong.push(`${name} has no license file`);
    return wrong;
  });
}
