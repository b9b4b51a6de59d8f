/** A serial link on a port in memory over a real app, for the tests of the link. */

import assert from 'node:assert/strict';
import { createLogger } from '../../../base/logger.ts';
import { EventBus } from '../../../events/bus.ts';
import { topics } from '../../../resources/contract.ts';
import { type TestApp, testApp } from '../../tests/test-app.ts';
import { SerialLink, type SerialLinkOptions } from '../link.ts';
import { MemoryPort } from './memory-port.ts';

export const HELLO = { type: 'hello', serial: 'S1', api: 'v1', name: 'Shop', model: 'M', version: '1.0.0' };

export interface Connected extends TestApp {
  bus: EventBus;
  link: SerialLink;
  /** With a host that has opened it and been greeted. */
  port: MemoryPort;
}

export async function connect(options: Partial<SerialLinkOptions> = {}): Promise<Connected> {
  const test = testApp();
  await (options.app ?? test.app).ready();
  const bus = new EventBus(topics);
  let port: MemoryPort | undefined;
  const link = new SerialLink({
    app: test.app,
    endpoints: test.endpoints,
    bus,
    sendToPage: async () => undefined,
    log: createLogger('silent'),
    identity: () => ({ serial: 'S1', name: 'Shop', model: 'M', version: '1.0.0' }),
    openPort: (handler) => {
      port = new MemoryPort(handler);
      return port;
    },
    ...options,
  });
  assert.ok(port);
  port.open();
  assert.deepEqual(await port.line(), HELLO);
  return { ...test, bus, link, port };
}

export function request(id: unknown, method: string, path: string, more: object = {}) {
  return { id, type: 'request', method, path: `/api/v1${path}`, ...more };
}

/** Status and code of a response that is an error; code alone of an error frame. */
export function failure(line: Readonly<Record<string, unknown>>): object {
  const { type, status, body, error } = JSON.parse(JSON.stringify(line));
  return type === 'error' ? { code: error.code } : { status, code: body?.error?.code };
}
