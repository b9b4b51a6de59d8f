// `node … - AGENT/main.mjs < compile-agent.mjs` writes V8's compiled code of the agent's bundle, see
// agent/src/start-bundle.ts, or prints "accepted" if Node accepts what is there. As an argument of the agent, the path ends
// it with a message when its modules are loaded: what was compiled until then does not depend on this computer.
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

const { compiledFile, script } = await import(process.argv[2]);
process.on('exit', () => {
  if (script.cachedDataRejected === false) return console.log('accepted');
  // V8 accepts code only with the flags with which it was stored.
  setFlagsFromString('--allocation-site-pretenuring');
  writeFileSync(compiledFile, script.createCachedData());
});
