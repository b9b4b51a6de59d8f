/** Reads archives with Python's zipfile, for comparison. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from './corpus-tools.ts';

const SCRIPT = `
import hashlib, json, sys, zipfile
for path in sys.argv[1:]:
    try:
        found = {}
        with zipfile.ZipFile(path) as z:
            for info in z.infolist():
                name = info.orig_filename.encode('utf-8' if info.flag_bits & 0x800 else 'cp437')
                found[name.hex()] = hashlib.sha256(z.read(info)).hexdigest()
        print(json.dumps(found))
    except Exception as error:
        print(json.dumps({'error': repr(error)}))
`;

/**
 * Reads archives with Python.
 * @returns for each archive the SHA-256 of every entry by its name (both in hex), or `error`
 */
export async function readWithPython(archives: Buffer[]): Promise<Record<string, string>[]> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-zip-'));
  try {
    const paths = archives.map((_, index) => join(folder, `${index}.zip`));
    await Promise.all(archives.map((bytes, index) => writeFile(paths[index] ?? '', bytes)));
    const output = await runTool(['python3'], ['-c', SCRIPT, ...paths], folder);
    return output
      .toString()
      .trim()
      .split('\n')
      .map((line): Record<string, string> => JSON.parse(line));
  } finally {
    await rm(folder, { recursive: true });
  }
}
