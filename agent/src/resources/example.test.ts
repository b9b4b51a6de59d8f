/** The example of docs/architecture.md, tests/led/. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createLogger } from '../base/logger.ts';
import { generic } from '../boards/generic.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { EventBus } from '../events/bus.ts';
import { createApp } from '../links/app.ts';
import { configContract } from './config/schema.ts';
import { openStore } from './config/tests/open-store.ts';
import { Resources } from './resource.ts';
import { ledConfig } from './tests/led/config.ts';
import { led } from './tests/led/index.ts';
import { getLed, setLed } from './tests/led/schema.ts';

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-example-'));
});
after(() => rm(folder, { recursive: true }));

/** An app with this resource alone. */
async function open(ledPort: { set(percent: number): Promise<void> } | undefined) {
  const bus = new EventBus();
  const log = createLogger('silent');
  const config = await openStore(folder, configContract([ledConfig]), { bus, log });
  const disk = { reserve: async () => undefined, free: async () => ({ free_bytes: 0, total_bytes: 0 }) };
  const asset = async () => Buffer.alloc(0);
  const created = new Resources({ board: generic, bus, log, config, disk, asset }, { ledPort });
  await created.createAll([led]);
  const endpoints: Endpoint[] = [getLed, setLed];
  const app = createApp({ endpoints, routes: created.all.flatMap(({ routes }) => routes), log });
  return { app, config, created };
}

test('the example works: endpoints, configuration that applies, and the end', async (t) => {
  const shown: number[] = [];
  const { app, config, created } = await open({ set: async (percent) => void shown.push(percent) });
  t.after(() => app.close());
  const answer = await app.inject({ method: 'POST', url: '/api/v1/led', payload: { on: true } });
  assert.deepEqual(answer.json(), { on: true, brightness: 50 });
  const { applied } = await config.patch({ led: { brightness: 20 } });
  assert.deepEqual(applied, { 'led.brightness': 'live' });
  for (const resource of created.all) await resource.stop?.();
  assert.deepEqual(shown, [50, 20, 0]);
});

test('a board without the hardware answers 503, and its configuration stays live', async (t) => {
  const { app, config } = await open(undefined);
  t.after(() => app.close());
  assert.equal((await app.inject({ url: '/api/v1/led' })).statusCode, 503);
  assert.deepEqual((await config.patch({ led: { brightness: 10 } })).applied, { 'led.brightness': 'live' });
});

test('two resources that need each other are an error', async () => {
  const { created } = await open(undefined);
  const first: Parameters<typeof created.use>[0] = {
    create: async ({ use }) => ({ service: await use(second), routes: [] }),
  };
  const second: typeof first = {
    create: async ({ use }) => ({ service: await use(first), routes: [] }),
  };
  await assert.rejects(created.use(first), /need each other/);
});
