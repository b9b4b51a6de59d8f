/** A real app with a few endpoints of each kind, for the tests of the links. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox';
import { createLogger } from '../../base/logger.ts';
import { type Endpoint, endpoint } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import { serve } from '../../resources/route.ts';
import { createApp } from '../app.ts';
import { createGuard } from '../guard.ts';
import { refusePlainEvents } from '../socket.ts';

const PNG = 'image/png';

const echo = endpoint({
  method: 'POST',
  path: '/echo',
  tag: 'Test',
  summary: 'Gives back what it got',
  body: Type.Object({ value: Type.Unknown() }),
  status: 200,
  response: Type.Object({ value: Type.Unknown() }),
  errors: [],
});
const reboot = endpoint({
  method: 'POST',
  path: '/reboot',
  tag: 'Test',
  summary: 'Takes no body',
  status: 202,
  response: Type.Object({}),
  errors: [],
});
const slow = endpoint({
  method: 'GET',
  path: '/slow',
  tag: 'Test',
  summary: 'Answers when told to',
  status: 200,
  response: Type.Object({}),
  errors: [],
});
const remove = endpoint({
  method: 'DELETE',
  path: '/file',
  tag: 'Test',
  summary: 'Has no answer body',
  status: 204,
  errors: [],
});
const download = endpoint({
  method: 'GET',
  path: '/file',
  tag: 'Test',
  summary: 'Bytes',
  status: 200,
  download: { contentType: PNG, description: 'An image' },
  errors: [],
});
const large = endpoint({
  method: 'GET',
  path: '/large/{bytes}',
  tag: 'Test',
  summary: 'Many bytes',
  params: Type.Object({ bytes: Type.Integer() }),
  status: 200,
  download: { contentType: PNG, description: 'An image' },
  errors: [],
});
const page = endpoint({
  method: 'GET',
  path: '/page',
  tag: 'Test',
  summary: 'HTML',
  status: 200,
  download: { contentType: 'text/html; charset=utf-8', description: 'A page' },
  errors: [],
});
const upload = endpoint({
  method: 'PUT',
  path: '/file/{name}',
  tag: 'Test',
  summary: 'Takes bytes',
  params: Type.Object({ name: Type.String() }),
  upload: { contentTypes: [PNG], maxBytes: 256 * 1024, description: 'An image' },
  status: 200,
  response: Type.Object({ bytes: Type.Integer(), announced: Type.Integer(), sha256: Type.String() }),
  errors: ['payload_too_large'],
});
const anything = endpoint({
  method: 'PATCH',
  path: '/anything',
  tag: 'Test',
  summary: 'Takes any JSON',
  body: Type.Unknown(),
  status: 200,
  response: Type.Unknown(),
  errors: [],
});
const unread = endpoint({
  method: 'PUT',
  path: '/unread',
  tag: 'Test',
  summary: 'Refuses bytes without reading them',
  upload: { contentTypes: [PNG, 'application/octet-stream'], description: 'An image' },
  status: 204,
  errors: ['conflict'],
});

const unwired = endpoint({
  method: 'PUT',
  path: '/unwired',
  tag: 'Test',
  summary: 'Has no route',
  upload: { contentTypes: [PNG], description: 'An image' },
  status: 204,
  errors: [],
});

const ENDPOINTS: readonly Endpoint[] = [
  echo,
  reboot,
  slow,
  remove,
  download,
  large,
  page,
  upload,
  anything,
  unread,
  unwired,
];

/** The answer of `GET /file`. */
export const FILE = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7) & 255));

export interface TestApp {
  app: FastifyInstance;
  endpoints: readonly Endpoint[];
  /** Called endpoints that have an effect or a large answer. */
  calls: string[];
  /** Lets every waiting `GET /slow` answer. */
  release(): void;
  /** How many `GET /slow` are waiting. */
  waiting(): number;
}

export function testApp(): TestApp {
  const calls: string[] = [];
  const waiting: (() => void)[] = [];
  const app = createApp({
    endpoints: ENDPOINTS,
    log: createLogger('silent'),
    guard: createGuard(() => ['vitrine']),
    routes: [
      serve(echo, ({ body }) => ({ value: body.value })),
      serve(reboot, () => {
        calls.push('reboot');
        return {};
      }),
      serve(slow, () => new Promise((resolve) => waiting.push(() => resolve({})))),
      serve(remove, () => undefined),
      serve(download, () => FILE),
      serve(large, ({ params }) => {
        calls.push('large');
        return Buffer.alloc(params.bytes);
      }),
      serve(page, () => Buffer.from('<!doctype html>')),
      serve(upload, async ({ upload: body, uploadBytes = -1 }) => {
        const hash = createHash('sha256');
        let bytes = 0;
        for await (const chunk of body) {
          bytes += chunk.length;
          hash.update(chunk);
        }
        return { bytes, announced: uploadBytes, sha256: hash.digest('hex') };
      }),
      serve(anything, ({ body }) => {
        calls.push('anything');
        return body;
      }),
      serve(unread, () => {
        throw new ApiError('conflict');
      }),
    ],
  });
  refusePlainEvents(app);
  return {
    app,
    endpoints: ENDPOINTS,
    calls,
    release: () => {
      for (const answer of waiting.splice(0)) answer();
    },
    waiting: () => waiting.length,
  };
}
