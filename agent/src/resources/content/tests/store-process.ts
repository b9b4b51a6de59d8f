/** A process with a real store that does what its parent tells it, until it is killed (kill.test.ts). */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createLogger } from '../../../base/logger.ts';
import { EventBus } from '../../../events/bus.ts';
import { FileSystemSpace } from '../../../system/disk-space.ts';
import { Operations } from '../../operations/operations.ts';
import { operationChanged } from '../../operations/schema.ts';
import { ContentStore } from '../store.ts';

export interface Order {
  name: string;
  /** The archive to upload; without one the bundle is deleted. */
  archive?: string;
}

/** What the parent hears: first the bundles that were found, with what `check` says of each, then each order's end. */
export type Report =
  | { type: 'found'; bundles: { name: string; sha256: string; check: string }[] }
  | { type: 'ended'; name: string };

const [, , folder = ''] = process.argv;
const bus = new EventBus();
const store = await ContentStore.open({
  folder,
  operations: new Operations(bus),
  isActive: () => false,
  closeRemoved: async () => undefined,
  log: createLogger('silent'),
  disk: new FileSystemSpace(folder),
});
await store.start();

async function upload({ name, archive = '' }: Order): Promise<void> {
  const { size } = await stat(archive);
  const { operation_id: id } = await store.put(name, createReadStream(archive), size);
  await new Promise<void>((resolve, reject) => {
    bus.on(operationChanged, (operation) => {
      if (operation.operation_id !== id) return;
      if (operation.state === 'done') resolve();
      if (operation.state === 'failed') reject(new Error(JSON.stringify(operation.error)));
    });
  });
}

function report(message: Report): void {
  process.send?.(message);
}

process.on('message', (order: Order) => {
  const work = order.archive ? upload(order) : store.remove(order.name);
  work.then(() => report({ type: 'ended', name: order.name }));
});
process.on('disconnect', () => process.exit());

const bundles = [];
for (const { name, sha256 } of (await store.list()).bundles) {
  const { ok, message } = await store.check(name);
  bundles.push({ name, sha256, check: ok ? 'ok' : message });
}
report({ type: 'found', bundles });
