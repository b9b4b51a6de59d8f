import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import type { Answer, RequestOptions } from '../../../../client/client.ts';
import { collectDiagnostics } from './diagnostics.ts';

const NOW = Date.parse('2026-06-01T12:00:00.000Z');

function answer(body: unknown, status = 200, bytes = new Uint8Array()): Answer {
  return { status, body, bytes };
}

/** A device with a log of `count` records. */
function device(count: number) {
  const asked: string[] = [];
  const all = Array.from({ length: count }, (_, at) => ({
    ...{ ts: `t${at}`, level: 'info', source: 'test', message: `record ${at} http://u:p@a.example/` },
    cursor: `s=${at}`,
  }));
  const request = async (_method: string, path: string, _options?: RequestOptions): Promise<Answer> => {
    asked.push(path);
    if (path === '/config') return answer({ wifi: { ap: { psk: 'correct horse' } } });
    if (path === '/wifi') return answer({ error: { code: 'wifi_unsupported', message: 'None.' } }, 503);
    if (path === '/audio') throw new DOMException('too slow', 'TimeoutError');
    if (path === '/display/screenshot') return answer(undefined, 200, new Uint8Array([1, 2, 3]));
    if (!path.startsWith('/device/logs?')) return answer({ path });
    const since = new URLSearchParams(path.split('?')[1]).get('since');
    if (since === null) return answer(all.slice(-1000));
    const from = since.startsWith('s=') ? Number(since.slice(2)) + 1 : 0;
    return answer(all.slice(from, from + 1000));
  };
  return { asked, client: { request } };
}

async function collect({ client }: ReturnType<typeof device>, stop = new AbortController()) {
  const progress: [number, number][] = [];
  const bytes = await collectDiagnostics({
    ...{ client, withPicture: true, now: NOW, signal: stop.signal },
    progress: (done, total) => progress.push([done, total]),
  });
  const files = unzipSync(bytes);
  return { files, progress, text: (name: string) => strFromU8(files[name] ?? new Uint8Array()) };
}

test('the archive has the states, the log and the picture, without secrets', async () => {
  const stage = device(2500);
  const { files, progress, text } = await collect(stage);
  assert.match(text('device-health.json'), /"path": "\/device\/health"/);
  assert.match(text('config.json'), /"psk": "\(removed\)"/);
  assert.match(text('wifi.json'), /wifi_unsupported/);
  assert.match(text('audio.json'), /TimeoutError: too slow/);
  assert.deepEqual([...(files['screen.png'] ?? [])], [1, 2, 3]);
  assert.equal(text('log-day.txt').trim().split('\n').length, 2500);
  assert.equal(
    text('log-newest.txt').split('\n')[0],
    't1500 info test: record 1500 http://(removed)@a.example/',
  );
  assert.ok(stage.asked.includes('/device/logs?limit=1000&since=2026-05-31T12%3A00%3A00.000Z'));
  const total = progress[0]?.[1];
  assert.deepEqual(progress.at(-1), [total, total]);
});

test('the log is read up to a limit', async () => {
  const stage = device(50_000);
  const { text } = await collect(stage);
  assert.equal(text('log-day.txt').trim().split('\n').length, 10_000);
});

test('without an answer, and after it was cancelled, there is no archive', async () => {
  const silent = { asked: [], client: { request: () => Promise.reject(new TypeError('no network')) } };
  await assert.rejects(collect(silent), /no network/);
  const stop = new AbortController();
  const stage = device(10);
  const { request } = stage.client;
  stage.client.request = async (...given) => {
    if (given[1] === '/content') stop.abort();
    stop.signal.throwIfAborted();
    return await request(...given);
  };
  await assert.rejects(collect(stage, stop), { name: 'AbortError' });
});
