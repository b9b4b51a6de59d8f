/** Reads archives with Python's zipfile, for comparison. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDirectory } from '../directory.ts';
import { runTool } from './corpus-tools.ts';
import { memorySource } from './memory-source.ts';
import { readContents } from './read-contents.ts';

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
async function readWithPython(archives: Buffer[]): Promise<Record<string, string>[]> {
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

/** The content of an archive by our reader, in the form that the Python script prints. */
async function digests(bytes: Buffer): Promise<Record<string, string>> {
  const source = memorySource(bytes);
  const contents = await readContents(source, await readDirectory(source));
  return Object.fromEntries(
    [...contents].map(([name, data]) => [
      Buffer.from(name).toString('hex'),
      createHash('sha256').update(data).digest('hex'),
    ]),
  );
}

/** Asserts that Python and our reader find the same content in archives. */
export async function assertPythonAgrees(archives: Buffer[]): Promise<void> {
  const read = await readWithPython(archives);
  for (const [index, archive] of archives.entries()) assert.deepEqual(read[index], await digests(archive));
}
