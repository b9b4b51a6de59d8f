/** A real store in a folder of its own behind the real app, for the tests of content. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { ZipFile } from 'yazl';
import { createLogger } from '../../../base/logger.ts';
import { EventBus } from '../../../events/bus.ts';
import { createApp } from '../../../links/app.ts';
import { FileSystemSpace } from '../../../system/disk-space.ts';
import { endpoints } from '../../contract.ts';
import { operationRoutes } from '../../operations/index.ts';
import { Operations } from '../../operations/operations.ts';
import { type Operation, operationChanged } from '../../operations/schema.ts';
import { contentRoutes } from '../index.ts';
import { ContentStore, type ContentStoreOptions } from '../store.ts';

/** The file name of a stored archive: bundle and hash. */
export const STORED = /^([^.]+)\.\d+\.\d+\.([0-9a-f]{64})\.zip$/;
const MTIME = new Date('2026-01-02T03:04:06Z');

/** A valid bundle. @param bytes of an entry that does not compress, for a bundle of about that size */
export async function bundle(text: string, bytes = 0): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(`<!doctype html>${text}`), 'index.html', { mtime: MTIME });
  if (bytes > 0) zip.addBuffer(randomBytes(bytes), 'video.bin', { compress: false, mtime: MTIME });
  zip.end();
  return buffer(zip.outputStream);
}

export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

export interface Answer {
  status: number;
  /** Of the envelope, when it is one. */
  code: string | undefined;
  body: unknown;
}

export interface TestContent {
  folder: string;
  app: FastifyInstance;
  store: ContentStore;
  bus: EventBus;
  operations: Operations;
  /** Everything that the `operation` topic has carried. */
  events: Operation[];
  /** Names that are on the screen. */
  active: Set<string>;
  call(method: 'GET' | 'POST' | 'DELETE', path: string): Promise<Answer>;
  put(name: string, body: Buffer | Readable, headers?: Record<string, string>): Promise<Answer>;
  /** Uploads and waits until the bundle is in place. */
  stored(name: string, body: Buffer): Promise<void>;
  /** The operation when it has ended. */
  ended(id: string): Promise<Operation>;
  /** Path of a stored archive. */
  path(name: string): string;
  /** The files in the folder; of a stored archive only `<name>.zip`. */
  files(): Promise<string[]>;
  /** What a restart of the agent finds; the app goes on with the new store. */
  restart(): Promise<void>;
}

/** @param t cleans up at its end */
export async function testContent(
  t: { after(clean: () => Promise<void>): void },
  change: Partial<ContentStoreOptions> = {},
): Promise<TestContent> {
  const folder = change.folder ?? (await mkdtemp(join(tmpdir(), 'vitrine-content-')));
  const bus = new EventBus();
  const operations = new Operations(bus);
  const events: Operation[] = [];
  bus.on(operationChanged, (operation) => events.push(operation));
  const active = new Set<string>();
  const options: ContentStoreOptions = {
    folder,
    operations,
    isActive: (name) => active.has(name),
    closeRemoved: async () => undefined,
    log: createLogger('silent'),
    disk: new FileSystemSpace(folder),
    ...change,
  };
  const make = async () => {
    const store = await ContentStore.open(options);
    const routes = [...contentRoutes(store), ...operationRoutes(operations)];
    const app = createApp({ endpoints, routes, log: options.log });
    return { store, app };
  };
  const inject = async (
    method: 'GET' | 'POST' | 'DELETE' | 'PUT',
    path: string,
    payload?: Buffer | Readable,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const url = `/api/v1${path}`;
    const answer = await test.app.inject({ method, url, headers, ...(payload ? { payload } : {}) });
    const body = answer.payload === '' ? undefined : answer.json();
    return { status: answer.statusCode, code: body?.error?.code, body };
  };
  const test: TestContent = {
    folder,
    ...(await make()),
    bus,
    operations,
    events,
    active,
    call: inject,
    put: (name, body, headers = {}) =>
      inject('PUT', `/content/${name}`, body, { 'content-type': 'application/zip', ...headers }),
    stored: async (name, body) => {
      const answer = await test.put(name, body);
      if (answer.status !== 202) throw new Error(JSON.stringify(answer));
      const { state } = await test.ended(operationOf(answer).operation_id);
      if (state !== 'done') throw new Error(`the upload of ${name} is ${state}`);
    },
    ended: (id) =>
      new Promise((resolve) => {
        const known = operations.get(id);
        if (known.state !== 'running') {
          resolve(known);
          return;
        }
        const stop = bus.on(operationChanged, (operation) => {
          if (operation.operation_id !== id || operation.state === 'running') return;
          stop();
          resolve(operation);
        });
      }),
    path: (name) => test.store.locate(name)?.path ?? assert.fail(`there is no bundle ${name}`),
    files: async () => (await readdir(folder)).map((file) => file.replace(STORED, '$1.zip')).sort(),
    restart: async () => {
      await test.store.close();
      await test.app.close();
      Object.assign(test, await make());
    },
  };
  t.after(async () => {
    await test.store.close();
    await test.app.close();
    await rm(folder, { recursive: true, force: true });
  });
  return test;
}

/** The Operation that a 202 carries. */
export function operationOf({ status, body }: Answer): Operation {
  if (status !== 202) throw new Error(`no operation in ${status} ${JSON.stringify(body)}`);
  return JSON.parse(JSON.stringify(body));
}
