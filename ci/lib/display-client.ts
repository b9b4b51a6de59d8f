import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './places.ts';

/** The client that pages load: one classic script without dependencies. */
export async function displayClient(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'agent/page/client/display-client.ts')],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    minify: true,
    write: false,
    banner: { js: '// Generated from display-client.ts, which documents it.' },
  });
  return outputFiles[0]?.text ?? '';
}
