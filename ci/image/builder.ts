/**
 * Runs a command inside the builder root, for tests that need its tools. As a script, `builder.ts OUT COMMAND…`, it does
 * the same and prints the command's output: it runs itself that way in a user namespace.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../lib/places.ts';
import { command as main, Problem } from '../lib/problem.ts';
import { asNamespaceRoot, beginBuild, explain } from './build.ts';
import { Cache } from './lib/cache.ts';
import { CommandError } from './lib/run.ts';
import { builderRoot, inBuilder, unpackFirmware } from './lib/stages.ts';

/**
 * Runs `command` in the builder root, which is built first if necessary, and returns its output. The project is mounted
 * at /src, `out` at /out, which is the working directory. If `out` contains an empty folder `firmware`, the package
 * u-boot-qemu is unpacked there first. Throws a {@link Problem} with the output when the command fails.
 */
export async function runInBuilder(out: string, command: string[]): Promise<string> {
  if (process.getuid?.() !== 0) {
    const printed = await asNamespaceRoot(fileURLToPath(import.meta.url), [out, ...command]);
    if (printed === undefined) throw new Problem(`${command.join(' ')} failed; the lines above say why.`);
    return printed;
  }
  process.umask(0o022);
  const cache = new Cache(join(cacheFolder(), 'image'));
  // Hold the lock to the end: a concurrent build with another package list would remove the root.
  return await cache.exclusively(async () => {
    try {
      const build = await beginBuild(cache);
      const firmware = join(out, 'firmware');
      if (existsSync(firmware)) await unpackFirmware(build, firmware);
      return await inBuilder(build, await builderRoot(build), out, command);
    } catch (error) {
      if (error instanceof CommandError) throw new Problem(explain(error));
      throw error;
    }
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out, ...command] = process.argv.slice(2);
  await main(async () => {
    if (!out || command.length === 0) throw new Problem('usage: builder.ts OUT COMMAND…');
    process.stdout.write(await runInBuilder(out, command));
    return 0;
  });
}
