/** Reads the environment with libubootenv, as the running system does with fw_printenv. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInBuilder } from '../../ci/image/builder.ts';
import type { Files } from './disk.ts';
import { ENVIRONMENT_SIZE } from './environment.ts';

/** Whether both copies have their full size. Otherwise libubootenv reads neither, even if the other one is valid. */
export function areComplete(files: Files): boolean {
  return files.every((file) => file !== undefined && file.length >= ENVIRONMENT_SIZE);
}

/**
 * The variables of each pair of copies; undefined where libubootenv rejects both. It removes trailing blanks of values.
 * @param folder a new folder for the copies
 */
export async function readWithLibubootenv(
  pairs: readonly Files[],
  folder: string,
): Promise<(Record<string, string> | undefined)[]> {
  await mkdir(folder, { recursive: true });
  for (const [number, files] of pairs.entries()) {
    for (const [copy, file] of files.entries()) {
      if (file) await writeFile(join(folder, `${number}.${copy}`), file);
    }
  }
  const script = '/src/tests-qemu/uboot/read-environments.sh';
  const printed = await runInBuilder(folder, [script, `0x${ENVIRONMENT_SIZE.toString(16)}`]);
  const found = new Map(
    printed.split(/^\[/m).map((part): [number, string[]] => {
      const [head = '', ...lines] = part.trimEnd().split('\n');
      return [Number.parseInt(head, 10), lines];
    }),
  );
  return pairs.map((_, number) => {
    const lines = found.get(number);
    if (!lines) throw new Error(`nothing was printed of pair ${number}`);
    if (lines[0] === 'none') return undefined;
    return Object.fromEntries(
      lines.map((line) => {
        const equals = line.indexOf('=');
        return [line.slice(0, equals), line.slice(equals + 1)];
      }),
    );
  });
}
