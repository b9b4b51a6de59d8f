import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './places.ts';
import { Problem } from './problem.ts';

/** Every document of an allowed origin runs it. */
const MAX_BYTES = 52_000;

/**
 * The interfaces to peripherals for pages: one script without dependencies, which runs where `vitrineInterfaces` is
 * declared.
 */
export async function pagePeripherals(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'agent/page/peripherals/main.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    write: false,
    // Modules are strict. Pages could get functions of others, by `caller`.
    banner: { js: '// Generated from agent/page/peripherals/, which documents it.\n(()=>{"use strict";' },
    footer: { js: '})();' },
  });
  const text = outputFiles[0]?.text ?? '';
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new Problem(`agent/page/peripherals.js has more than ${MAX_BYTES} bytes.`);
  return text;
}
