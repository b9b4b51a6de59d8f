/** Composition root: builds adapters, resources and links in plain code and stops them in reverse order. */
import { EventBus } from './events/bus.ts';
import { type Flags, readFlags, USAGE } from './flags.ts';
import { createApp } from './links/app.ts';
import { Operations } from './resources/operations/operations.ts';
import { operationRoutes } from './resources/operations/routes.ts';
import { getOperation } from './resources/operations/schema.ts';
import { createLogger } from './system/logger.ts';

async function start({ listen }: Flags): Promise<void> {
  const log = createLogger('info');
  const bus = new EventBus();
  const operations = new Operations(bus);
  const app = createApp({ endpoints: [getOperation], routes: operationRoutes(operations), log });
  const addresses: string[] = [];
  for (const { host, port } of listen.slice(0, 1)) addresses.push(await app.listen({ host, port }));
  console.log(JSON.stringify({ type: 'ready', api: addresses.map((address) => `${address}/api/v1`) }));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void app.close());
}

try {
  await start(readFlags(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  console.error(USAGE);
  process.exitCode = 1;
}
