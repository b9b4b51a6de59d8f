import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import { type Gate, type Route, serve } from '../route.ts';
import { collect } from './collect.ts';

const NOW = Date.UTC(2026, 0, 2, 12);
const common = { method: 'GET', tag: 'x', summary: 'x', status: 200, errors: [] } as const;
const answers = (path: string, value: unknown, gate?: Gate): Route =>
  serve(endpoint({ ...common, path, response: Type.Unknown() }), () => value, gate);
const record = (at: number) => ({
  ...{ ts: '2026-01-02T00:00:00.000Z', level: 'info', source: 'cage' },
  ...{ message: `proxy http://user:word@host ${at}`, cursor: `s=${at}` },
});

/** The archive's files as text. */
async function filesOf(routes: readonly Route[], withPicture = false): Promise<Record<string, string>> {
  const files: [string, string][] = [];
  for await (const [name, content] of collect(routes, withPicture, NOW))
    files.push([name, content.toString('latin1')]);
  return Object.fromEntries(files);
}

test('every state is there, as its error if it has none, and without secrets', async () => {
  const refuse = (): never => {
    throw new ApiError('unavailable', 'There is no radio.');
  };
  const asked: string[] = [];
  const name = Type.Object({ name: Type.String() });
  const files = await filesOf([
    answers('/config', { wifi: { psk: 'secret' }, ui: { enabled: true } }),
    answers('/wifi', {}, refuse),
    answers('/broken', Promise.reject(new Error('no file'))),
    serve(endpoint({ ...common, path: '/content/{name}', params: name, response: name }), () =>
      assert.fail(),
    ),
    serve(endpoint({ ...common, path: '/docs', download: { contentType: 'x', description: 'x' } }), () =>
      assert.fail(),
    ),
    serve(endpoint({ ...common, method: 'POST', path: '/device/reboot', response: name }), () =>
      assert.fail(),
    ),
    answers('/device/logs', [record(1)], () => void asked.push('log')),
  ]);
  assert.deepEqual(Object.keys(files), [
    ...['about.json', 'config.json', 'wifi.json', 'broken.json'],
    ...['log-newest.txt', 'log-day.txt'],
  ]);
  assert.deepEqual(JSON.parse(files['config.json'] ?? ''), {
    wifi: { psk: '(removed)' },
    ui: { enabled: true },
  });
  assert.equal(JSON.parse(files['wifi.json'] ?? '').error.code, 'unavailable');
  assert.match(files['broken.json'] ?? '', /no file/);
  assert.equal(
    files['log-newest.txt'],
    '2026-01-02T00:00:00.000Z info cage: proxy http://(removed)@host 1\n',
  );
  assert.equal(asked.length, 2);
});

test('a day of the log is read in parts, and never without end', async () => {
  const queries: unknown[] = [];
  const query = Type.Object({ limit: Type.Integer(), since: Type.Optional(Type.String()) });
  const declaration = endpoint({ ...common, path: '/device/logs', query, response: Type.Unknown() });
  const log = serve(declaration, ({ query: asked }) => {
    queries.push(asked.since);
    return Array.from({ length: 1000 }, (_, index) => record(queries.length * 1000 + index));
  });
  const files = await filesOf([log]);
  assert.equal(files['log-day.txt']?.split('\n').length, 10_001);
  assert.deepEqual(queries.slice(0, 4), [undefined, '2026-01-01T12:00:00.000Z', 's=2999', 's=3999']);
  assert.equal(queries.length, 11);
});

test('the picture is left out on request', async () => {
  const screenshot = endpoint({
    ...common,
    path: '/display/screenshot',
    download: { contentType: 'x', description: 'x' },
  });
  const good = serve(screenshot, () => Buffer.from('PNG'));
  const bad = serve(screenshot, () => {
    throw new ApiError('unavailable');
  });
  assert.equal((await filesOf([good], true))['screen.png'], 'PNG');
  assert.match((await filesOf([bad], true))['screen.json'] ?? '', /unavailable/);
  assert.deepEqual(Object.keys(await filesOf([good])), ['about.json']);
});
