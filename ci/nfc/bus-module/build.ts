import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInBuilder } from '../../image/builder.ts';

const NAME = 'nfc_lab_bus';

/** The kernel module of this folder, compiled for the image's kernel. It is never on the image. */
export async function buildBusModule(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-nfc-lab-'));
  try {
    const source = await readFile(fileURLToPath(new URL(`./${NAME}.c`, import.meta.url)));
    await writeFile(join(folder, `${NAME}.c`), source);
    await writeFile(join(folder, 'Makefile'), `obj-m := ${NAME}.o\nccflags-y := -Werror\n`);
    await runInBuilder(folder, ['sh', '-c', 'make -C /lib/modules/*/build M=/out modules >&2']);
    return await readFile(join(folder, `${NAME}.ko`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
