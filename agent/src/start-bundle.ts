/**
 * The `main.mjs` of the bundle: compiles the agent, `agent.js` beside it, and starts it. If there is code that V8 compiled
 * before, `agent.js.compiled`, that takes a fifth less processor time. Unlike Node's compile cache, it also has the
 * functions that were called after the file was compiled. V8 refuses code of another version, other flags or a source of
 * another length, and then compiles the source. It compares neither the source itself nor a checksum, so both files are
 * made together (ci/image/compile-agent.mjs), in an image whose root is read-only.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { errorCode } from './base/system-error.ts';

const url = new URL('agent.js', import.meta.url).href;
const filename = fileURLToPath(url);

export const compiledFile = `${filename}.compiled`;

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export const script = new Script(readFileSync(filename, 'utf8'), {
  filename,
  cachedData: readIfThere(compiledFile),
});
/** The build wraps the agent in this function: `url` is its `import.meta.url`. */
const start: (require: NodeJS.Require, url: string) => void = script.runInThisContext();
start(createRequire(url), url);

// With pretenuring, depending on when garbage collections happen, V8 may decide that the objects of an answer live long,
// and never reconsider. In about 1 of 40 starts a request then takes 50 % more processor time, and the process 40 MB more
// memory. As an option of Node, this would make V8 refuse the compiled code of Node's own modules.
setFlagsFromString('--no-allocation-site-pretenuring');
