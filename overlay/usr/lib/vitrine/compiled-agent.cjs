// Loaded before the agent: makes Node use the compiled code of the bundle that ci/image/finish.sh has put into the image.
// Node expects it in a folder whose name depends on the processor, although V8's bytecode does not. V8 checks its version,
// its flags and the bundle, and compiles the bundle if the compiled code does not fit.
const { readdirSync, symlinkSync } = require('node:fs');
const { enableCompileCache } = require('node:module');

const COMPILED = '/usr/lib/vitrine/compiled-agent';
const LINKS = '/run/vitrine/compiled-agent';

try {
  const names = readdirSync(COMPILED);
  enableCompileCache(LINKS);
  const [folder] = readdirSync(LINKS);
  for (const name of names) symlinkSync(`${COMPILED}/${name}`, `${LINKS}/${folder}/${name}`);
} catch {
  // Without compiled code, or after a restart, which finds the links of the first start.
}
