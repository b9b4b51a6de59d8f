import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FakePage } from '../testing/fake-page.ts';
import { Gate } from '../testing/gate.ts';
import { repetitions } from '../testing/long-runs.ts';
import { makePng } from '../testing/make-png.ts';
import { type RunningAgent, startAgent } from '../testing/running-agent.ts';
import { type Cable, connectTerminals } from '../testing/terminals.ts';
import { waitFor } from '../testing/wait.ts';
import { zip } from '../testing/zip.ts';
import { connect, placeOf } from './connect.ts';
import type { Device } from './device.ts';
import { push } from './folder.ts';

const SOON = { timeoutMs: 20_000 };
/** Lost connections in a row, and how much memory they may cost. */
const RECONNECTS = repetitions(20, 1000);
const MAX_GROWTH = 8 * 2 ** 20;
/** Of an upload, and how much memory it may cost. */
const LARGE_BYTES = 95_000_000;
const MAX_UPLOAD_GROWTH = 16 * 2 ** 20;

test('an address is a host, an origin or a serial port', () => {
  const network = (base: string) => ({ kind: 'network', base });
  assert.deepEqual(placeOf('10.55.77.1'), network('http://10.55.77.1/api/v1'));
  assert.deepEqual(placeOf('lobby.local:8080'), network('http://lobby.local:8080/api/v1'));
  assert.deepEqual(placeOf('https://[fe80::1]/api/v1/'), network('https://[fe80::1]/api/v1'));
  assert.deepEqual(placeOf('/dev/ttyACM0'), { kind: 'serial', path: '/dev/ttyACM0' });
  assert.deepEqual(placeOf('COM3'), { kind: 'serial', path: 'COM3' });
  assert.deepEqual(placeOf('unix:/run/serial.sock'), { kind: 'serial', path: '/run/serial.sock' });
  for (const wrong of ['http://', 'a b', 'http://a:b:c'])
    assert.throws(() => placeOf(wrong), /is no address/);
});

describe('a device', () => {
  let agent: RunningAgent;
  let page: FakePage;
  let gate: Gate;
  let cable: Cable;
  let folder: string;
  before(async () => {
    cable = await connectTerminals();
    agent = await startAgent({ isQuiet: true, flags: ['--serial', cable.device, '--content-port', '0'] });
    page = new FakePage(agent.folder, makePng());
    gate = await Gate.open(Number(new URL(agent.api).port));
    folder = await mkdtemp(join(tmpdir(), 'vitrine-client-'));
  });
  after(async () => {
    page.close();
    await gate.close();
    await agent.stop();
    cable.close();
    await rm(folder, { recursive: true });
  });

  /** A folder with files. */
  async function folderWith(files: Record<string, string>): Promise<string> {
    const place = await mkdtemp(join(folder, 'bundle-'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(place, path, '..'), { recursive: true });
      await writeFile(join(place, path), text);
    }
    return place;
  }

  const links: [string, () => Promise<Device>][] = [
    ['HTTP', () => connect(gate.origin)],
    ['serial', () => connect(cable.host)],
  ];
  for (const [name, open] of links) {
    test(`shows, stores and waits over ${name}`, async () => {
      const device = await open();
      try {
        const shown = await device.show({ url: 'http://a.example/menu' });
        assert.equal(shown.target_url, 'http://a.example/menu');
        await assert.rejects(device.show({ url: 'http://a.example/fails' }), {
          name: 'WaitError',
          code: 'load_failed',
          message: /^it is not on the screen: /,
        });
        page.holds = true;
        await assert.rejects(device.show({ url: 'http://a.example/slow' }, { timeoutMs: 100 }), {
          isTimeout: true,
          message: 'waited 0.1 s for the target to be on the screen: it is loading http://a.example/slow',
        });
        page.release();

        const bundle = await folderWith({
          'index.html': 'x'.repeat(40_000),
          'js/a.js': 'a',
          '.DS_Store': '',
          // Several blocks, each different: the device compares the checksums of what it gets.
          'data.csv': randomBytes(150_000).toString('hex'),
          'movie.mp4': randomBytes(name === 'HTTP' ? 1_200_000 : 75_000).toString('hex'),
        });
        const seen: [number, number][] = [];
        const options = {
          name: 'menu',
          show: true,
          onProgress: (...now: [number, number]) => seen.push(now),
        };
        assert.equal(await push(device, bundle, options), 'menu');
        assert.deepEqual(
          (await device.get('/content')).bundles.map(({ name }) => name),
          ['menu'],
        );
        const [sent, total] = seen.at(-1) ?? [];
        assert.ok(total && sent === total, JSON.stringify(seen));
        assert.equal((await device.get('/display')).bundle, 'menu');

        page.setChannel(false);
        const opened = device.waitChannelOpen(SOON);
        page.setChannel(true);
        await opened;
        await device.show('waiting');
        await device.delete('/content/{name}', { params: { name: 'menu' } });
      } finally {
        await device.close();
      }
    });
  }

  test('what the device would refuse is not sent, and the reason says what to change', async () => {
    const device = await connect(gate.origin);
    const archive = join(folder, 'deep.zip');
    await writeFile(archive, await zip({ 'site/index.html': 'x' }));
    const wrong: [string, RegExp][] = [
      [await folderWith({ 'page.html': 'x' }), /^there is no index\.html at the top/],
      [await folderWith({ 'Index.html': 'x' }), /must be named index\.html$/],
      [await folderWith({ 'dist/index.html': 'x' }), /give "dist" instead/],
      [await folderWith({ '.DS_Store': 'x' }), /has no files$/],
      [archive, /give "site" instead/],
    ];
    for (const [path, message] of wrong) {
      await assert.rejects(push(device, path, { name: 'menu' }), { name: 'BundleError', message });
    }
    const bundle = await folderWith({ 'index.html': 'x' });
    await assert.rejects(push(device, bundle, { name: 'My App' }), { message: /try my-app$/ });
    assert.deepEqual((await device.get('/content')).bundles, []);
    await device.close();
    assert.deepEqual(
      (await readdir(tmpdir())).filter((name) => name.startsWith('vitrine-push-')),
      [],
    );
  });

  test('events go on after lost connections, without more memory', async () => {
    const device = await connect(gate.origin);
    const stop = new AbortController();
    const counts = { up: 0, down: 0 };
    const names: unknown[] = [];
    const reading = (async () => {
      const options = {
        signal: stop.signal,
        onConnected: () => (counts.up += 1),
        onDisconnected: () => (counts.down += 1),
      };
      for await (const { payload } of device.events(['config_changed'], options)) names.push(payload.paths);
    })();
    let before = 0;
    for (let turn = 1; turn <= RECONNECTS; turn += 1) {
      await waitFor(() => counts.up === turn, { ...SOON, what: `connection ${turn}` });
      gate.cut();
      gate.mend();
      if (turn === 10) before = process.memoryUsage().heapUsed;
    }
    await waitFor(() => counts.up === RECONNECTS + 1, { ...SOON, what: 'the last connection' });
    await device.patch('/config', { json: { device: { name: 'After' } } });
    await waitFor(() => names.length === 1, { ...SOON, what: 'an event after the reconnections' });
    assert.deepEqual(names, [['device.name']]);
    assert.ok(counts.down >= RECONNECTS);
    assert.ok(process.memoryUsage().heapUsed - before < MAX_GROWTH);
    stop.abort();
    await reading;
    await device.close();
  });

  for (const [name, open] of links) {
    test(`a stream with snapshots begins with the present states over ${name}`, async () => {
      const device = await open();
      const topics = [
        'config_changed',
        'network_changed',
        'display_state',
        'health',
        'page_channel',
        'update_changed',
      ] as const;
      // The second one finds the topics subscribed already.
      for (const turn of [1, 2]) {
        const stream = device.events([...topics, 'operation', 'wifi_changed'], { snapshot: true });
        const seen = new Map<string, unknown>();
        while (seen.size < topics.length) {
          const { value } = await stream.next();
          if (value) seen.set(value.topic, value.payload);
        }
        assert.deepEqual(new Set(seen.keys()), new Set(topics), `stream ${turn}`);
        assert.deepEqual(seen.get('config_changed'), { paths: [], config: await device.get('/config') });
        assert.deepEqual(seen.get('network_changed'), await device.get('/network'));
        assert.deepEqual(seen.get('display_state'), await device.get('/display'));
        assert.deepEqual(seen.get('page_channel'), await device.get('/page/status'));
        if (turn === 2) await stream.return();
      }
      await device.close();
    });
  }

  test('a stream with snapshots has a state that changed while there was no connection', async () => {
    const device = await connect(gate.origin);
    const direct = await connect(agent.api);
    const stream = device.events(['config_changed'], { snapshot: true });
    assert.deepEqual((await stream.next()).value?.payload.paths, []);
    gate.cut();
    await direct.patch('/config', { json: { device: { name: 'Meanwhile' } } });
    gate.mend();
    const { value } = await stream.next();
    assert.deepEqual(value?.payload.config, await direct.get('/config'));
    assert.deepEqual(value?.payload.paths, []);
    await Promise.all([device.close(), direct.close()]);
  });

  test('a stream that begins just when another listener ends keeps its connection', async () => {
    const device = await connect(gate.origin);
    for (let turn = 0; turn < 20; turn += 1) {
      await device.waitLoaded(SOON);
      let connections = 0;
      const connected = Promise.withResolvers<void>();
      const onConnected = () => {
        connections += 1;
        connected.resolve();
      };
      const stream = device.events(['config_changed'], { onConnected });
      const first = stream.next();
      await connected.promise;
      await device.patch('/config', { json: { device: { name: `Turn ${turn}` } } });
      const { value } = await first;
      assert.deepEqual([value?.payload.paths, connections], [['device.name'], 1]);
      await stream.return();
    }
    await device.close();
  });

  test('what fails when the events flow ends the stream with that error, and nothing after its end', async () => {
    const device = await connect(gate.origin);
    try {
      const refused = device.events(['config_changed'], { onConnected: () => device.post('/update/apply') });
      await assert.rejects(refused.next(), { name: 'RequestError' });
      const begun = Promise.withResolvers<void>();
      const left = device.events(['config_changed'], {
        onConnected: async () => {
          begun.resolve();
          await device.get('/network');
          throw new Error('too late');
        },
      });
      const next = left.next();
      await begun.promise;
      await device.close();
      assert.deepEqual(await next, { value: undefined, done: true });
    } finally {
      await device.close();
    }
  });

  test('a large upload takes little memory', async () => {
    // Not by the gate, which is in this process.
    const device = await connect(new URL(agent.api).origin);
    const place = await mkdtemp(join(folder, 'large-'));
    await writeFile(join(place, 'index.html'), '<title>x</title>');
    // Of zeros, so that this process needs no memory for it.
    await writeFile(join(place, 'movie.mp4'), '');
    await truncate(join(place, 'movie.mp4'), LARGE_BYTES);
    await device.get('/device');
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    const before = process.memoryUsage.rss();
    let most = before;
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 5);
    try {
      await push(device, place, { name: 'large' });
      await device.delete('/content/{name}', { params: { name: 'large' } });
    } finally {
      clearInterval(timer);
      await device.close();
    }
    assert.ok(most - before < MAX_UPLOAD_GROWTH, `${((most - before) / 2 ** 20).toFixed(1)} MiB more`);
  });

  test('an upload whose source fails does not keep the requests after it waiting', async () => {
    const device = await connect(gate.origin);
    async function* failing() {
      yield new Uint8Array(100);
      throw new Error('the file has become shorter');
    }
    try {
      const body = { size: 1000, stream: failing };
      await assert.rejects(device.storeBundle('broken', body), /the file has become shorter/);
      await device.get('/device', { timeoutMs: 5000 });
    } finally {
      await device.close();
    }
  });

  test('an unknown topic ends its stream, not those of others', async () => {
    const device = await connect(gate.origin);
    const good = device.events(['config_changed']);
    const first = good.next();
    // As a program without types has it.
    const topics: 'health'[] = JSON.parse('["helth"]');
    await assert.rejects(device.events(topics).next(), {
      name: 'RefusedError',
      message: /did you mean health/,
    });
    await device.patch('/config', { json: { device: { name: 'Again' } } });
    assert.deepEqual((await first).value?.payload.paths, ['device.name']);
    await device.close();
    assert.equal((await good.next()).done, true);
  });
});
