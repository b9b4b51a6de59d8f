/** What `make show-info` says about the packages of a configuration, and whether their hash files cover them. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** Of a package, what is looked at here; rootfs entries and virtual packages lack most of it. */
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

/** The packages of a configuration by their names, host packages with `host-` before it. */
export function packagesOf(showInfo: string): Map<string, Package> {
  return new Map(Object.entries(Value.Parse(ShowInfo, JSON.parse(showInfo))));
}

/** A line of a hash file: `sha256  SUM  NAME`. */
interface Sum {
  kind: string;
  name: string;
}

/** The lines of a hash file. @throws Error on a line that is none. */
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

/** What a package downloads, by file name; nothing where the sources are a folder of this computer. */
function downloadsOf({ downloads = [] }: Package): string[] {
  return downloads.filter(({ uris }) => !uris[0]?.startsWith('local+')).map(({ source }) => source);
}

/** The strong sums of a package's hash files, by file name. */
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
 * What no hash file covers: each download of each package; and for packages of the folder `own`, the license files
 * too. A line each.
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

/** What is missing of our packages: each of `names` is there, with a version, licenses and their texts. */
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
