/** `npm run build`: the agent into agent/dist, and the host's side into build/client. */
import { buildAgent } from './build-agent.ts';
import { buildClient } from './build-client.ts';
import { command } from './lib/problem.ts';

await command(async () => {
  const started = performance.now();
  await buildAgent();
  const bytes = await buildClient();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `agent/dist and build/client built in ${seconds} s; in browsers the client has ${bytes} bytes, compressed`,
  );
  return 0;
});
