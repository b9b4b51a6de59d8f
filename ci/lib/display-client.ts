import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './places.ts';
import { Problem } from './problem.ts';

/** Every page that talks with a host loads it, in a bundle from the page's own files. */
const MAX_BYTES = 6000;

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
  const text = outputFiles[0]?.text ?? '';
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new Problem(`display-client.js has more than ${MAX_BYTES} bytes.`);
  return text;
}
