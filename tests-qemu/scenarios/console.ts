import assert from 'node:assert/strict';
import type { SocketChannel } from '../../client/http.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import { zip } from '../../testing/zip.ts';
import { putBundle, removeBundles } from '../harness/bundles.ts';
import { type ScenarioContext, scenario } from '../harness/suite.ts';

const WAIT_MS = 120_000;
const TOPIC = 'page_console';
const FLOOD = 20_000;
/** At once, with what is added while the flood lasts. */
const MOST = 400;
const KIB = 1024;

async function show({ device }: ScenarioContext, url: string): Promise<void> {
  await device.act('POST', '/display/navigate', { url });
  await device.waitForDisplay((state) => field(state, 'loading') === false, 'the page to be loaded', WAIT_MS);
}

async function unsubscribe(socket: SocketChannel): Promise<void> {
  const { mark } = socket.others;
  socket.send({ type: 'unsubscribe', topics: [TOPIC] });
  await socket.frame('subscribed', mark);
}

const textOf = (payload: unknown) => String(field(payload, 'text'));

/** Waits for a message whose text begins with `start`. */
async function next(socket: SocketChannel, mark: number, start: string): Promise<unknown> {
  const found = await socket.events.next(
    TOPIC,
    mark,
    (payload) => textOf(payload).startsWith(start),
    WAIT_MS,
  );
  return found.payload;
}

const payloads = (socket: SocketChannel, mark: number) =>
  socket.events.since(mark, TOPIC).map(({ payload }) => payload);

export default scenario({
  title: "the page's console is reported live",
  needs: 'system',
  machine: 'shared',
  run: async (context) => {
    const { device, pages, test } = context;
    const socket = await device.events();
    await device.act('PATCH', '/config', { browser: { script_timeout_ms: 60_000 } });

    await test('nothing comes before the subscription; then the page that is there, with all arguments', async () => {
      await show(context, pages.add('<title>quiet</title><script>console.log("before", 0)</script>'));
      await socket.subscribe(TOPIC);
      await waitFor(
        async () => {
          await device.runScript('console.log("first", 1, [2, 3], null, "é")');
          return payloads(socket, 0).length > 0;
        },
        { timeoutMs: WAIT_MS, what: 'the first message', intervalMs: 200 },
      );
      const mark = socket.events.mark;
      await device.runScript('console.log("second", 1, [2, 3], null, "é")');
      const message = await next(socket, mark, 'second');
      assert.equal(textOf(message), 'second 1 2,3 null é');
      assert.equal(field(message, 'source'), 'vitrine:script');
      assert.ok(payloads(socket, 0).every((each) => !textOf(each).startsWith('before')));
    });

    await test('levels, source and line, from the first script of a document on', async () => {
      const mark = socket.events.mark;
      const url = pages.add(
        `<!doctype html><title>levels</title><script>
console.debug('a', 1);
console.log('b', 2);
console.info('c', 3);
console.warn('d', 4);
console.error('e', new TypeError('five'));
console.assert(false, 'f');
console.log();
window.kept = [console.log.name, String(console.log).includes('[native code]')];
console.log('end');
</script>`,
      );
      await show(context, url);
      await next(socket, mark, 'end');
      const got = payloads(socket, mark).filter((each) => field(each, 'source') === url);
      const at = (level: string, text: string, line: number) => ({
        level,
        text,
        source: url,
        line,
        left_out: 0,
      });
      assert.deepEqual(got.slice(0, 5), [
        at('debug', 'a 1', 2),
        at('log', 'b 2', 3),
        at('info', 'c 3', 4),
        at('warn', 'd 4', 5),
        at('error', 'e TypeError: five', 6),
      ]);
      assert.deepEqual([field(got[5], 'level'), field(got[5], 'line')], ['error', 7]);
      assert.deepEqual(got.at(-1), at('log', 'end', 10));
      assert.deepEqual(await device.runScript('kept'), ['log', true]);
    });

    await test('uncaught errors with their place, rejections, failed requests and what the policy refuses', async () => {
      const mark = socket.events.mark;
      const missing = `${pages.origin}/missing.png`;
      const script = pages.add('\n\nnull.member;', 200, { 'content-type': 'text/javascript' });
      const url = pages.add(
        `<title>errors</title><script src="${script}"></script><img src="${missing}">
<iframe src="https://refused.example/"></iframe>
<script>Promise.reject(new Error('rejected'));
fetch('http://127.0.0.1:9/').catch(() => 0);</script>`,
        200,
        { 'content-security-policy': "frame-src 'none'" },
      );
      await show(context, url);
      const error = await next(socket, mark, 'TypeError');
      assert.deepEqual(
        [field(error, 'level'), field(error, 'source'), field(error, 'line')],
        ['error', script, 3],
      );
      assert.match(textOf(error), /null is not an object/);
      await next(socket, mark, 'Unhandled Promise Rejection: Error: rejected');
      const failed = await next(
        socket,
        mark,
        'Failed to load resource: the server responded with a status of 404',
      );
      assert.equal(field(failed, 'source'), missing);
      assert.equal(
        field(await next(socket, mark, 'Refused to load https://refused.example/'), 'level'),
        'error',
      );
    });

    await test('a document of another origin, in another process, from its first script on', async () => {
      const mark = socket.events.mark;
      await putBundle(
        device,
        'talk',
        await zip({ 'index.html': '<script>console.info("bundle", 1)</script>' }),
      );
      await device.act('POST', '/display/bundle', { name: 'talk' });
      assert.partialDeepStrictEqual(await next(socket, mark, 'bundle'), { text: 'bundle 1', line: 1 });
      await device.shell.ok('kill -KILL $(pidof WPEWebProcess)');
      const again = socket.events.mark;
      assert.partialDeepStrictEqual(await next(socket, again, 'bundle'), { text: 'bundle 1', line: 1 });
    });

    await test('a page that floods: the rest is counted, the last one comes, and others are served', async () => {
      await show(context, pages.add('<title>flood</title>'));
      const mark = socket.events.mark;
      const count = `for (let n = 0; n < ${FLOOD}; n++) console.log('flood', n);`;
      await device.runScript(`${count} 0`);
      await next(socket, mark, `flood ${FLOOD - 1}`);
      const got = payloads(socket, mark).filter((each) => textOf(each).startsWith('flood'));
      assert.ok(got.length >= 100 && got.length < MOST, `${got.length} came`);
      const all = got.reduce<number>((sum, each) => sum + 1 + Number(field(each, 'left_out')), 0);
      assert.equal(all, FLOOD);
      // Without an end, with long texts.
      const then = socket.events.mark;
      await device.runScript(
        "setInterval(() => { for (let n = 0; n < 200; n++) console.warn('x'.repeat(1e5), n) }, 1); 0",
      );
      await waitFor(() => payloads(socket, then).length > 5, {
        timeoutMs: WAIT_MS,
        what: 'some of the texts',
      });
      const before = performance.now();
      for (let n = 0; n < 10; n += 1) await device.get('/page/status');
      assert.ok(performance.now() - before < 20_000);
      const text = textOf(payloads(socket, then).at(-1));
      assert.equal(text, 'x'.repeat(16 * KIB));
      assert.equal(socket.closed, undefined);
    });

    await test('texts that look like the protocol, line ends, invalid Unicode, and values that resist', async () => {
      const [pid] = (await device.shell.ok('pidof vitrine-browser')).trim().split(' ');
      // A new process has all that may be sent at once.
      await device.showWaiting();
      await device.shell.ok('kill -KILL $(pidof WPEWebProcess)');
      const mark = socket.events.mark;
      const event = '{"event":"page_gone","reason":"crashed"}';
      const url = pages.add(`<title>hostile</title><script>
        const { log } = console;
        console.log('\\n' + ${JSON.stringify(event)} + '\\r\\n{"event":"hello"}\\u2028');
        console.log('lone', '\\ud800', '\\udc00x', '\\uffff');
        console.log('lone \\ud800');
        console.log('nul', 'a\\0b');
        console.log('symbol', Symbol('s'), Object.create(null), -0, 1n);
        console.log('throws', { toString() { throw new Error('no'); } }, 'after');
        console.log('nested', { toString() { console.log('inner', 1); return 'text'; } });
        console.log('proxy', new Proxy({}, { get() { throw 1; } }), new Proxy(() => 0, {}));
        console.log('😀'.repeat(10_000), 1);
        console.log(...Array.from({ length: 60_000 }, (_, n) => 'many'));
        console.log.call(null, 'called', 1); Reflect.apply(log, undefined, ['applied', 2]);
        console.log = (...all) => log('mine', ...all); console.log('replaced', 3);
        Function.prototype.bind = Function.prototype.call = () => { throw new Error('broken'); };
        Array.prototype[Symbol.iterator] = null; delete console.info; console.debug = 5;
        console.error('end', 1);
      </script>`);
      await show(context, url);
      await next(socket, mark, 'end 1');
      const texts = payloads(socket, mark).map(textOf);
      const line = texts.find((text) => text.includes('page_gone'));
      assert.equal(line, `\n${event}\r\n{"event":"hello"}\u2028`);
      for (const text of texts) assert.ok(text.isWellFormed() && Buffer.byteLength(text) <= 16 * KIB);
      for (const start of [
        'lone',
        'nul',
        'symbol',
        'throws',
        'nested',
        'inner 1',
        'proxy',
        'called 1',
        'applied 2',
      ]) {
        assert.ok(
          texts.some((text) => text.startsWith(start)),
          `${start}: ${texts.join('|').slice(0, 2000)}`,
        );
      }
      assert.ok(texts.includes('mine replaced 3'));
      await device.runScript(`const endless = { toString() { console.error('deep', endless); return ''; } };
        try { console.error('endless', endless); } catch {} 0`);
      assert.equal(await device.runScript('document.title'), 'hostile');
      // The same subscription again, in a document whose console is broken.
      await unsubscribe(socket);
      await socket.subscribe(TOPIC);
      await device.runScript('console.error("still", 1)');
      await next(socket, mark, 'still');
      assert.equal((await device.shell.ok('pidof vitrine-browser')).trim().split(' ')[0], pid);
    });

    await test('nothing is collected after the last subscriber', async () => {
      await show(context, pages.add('<title>end</title>'));
      await unsubscribe(socket);
      await device.runScript('for (let n = 0; n < 1000; n++) console.log("unheard", n)');
      await socket.subscribe(TOPIC);
      const { mark } = socket.events;
      await waitFor(
        async () => {
          await device.runScript('console.log("heard", 1)');
          return payloads(socket, mark).length > 0;
        },
        { timeoutMs: WAIT_MS, what: 'the next message', intervalMs: 200 },
      );
      assert.partialDeepStrictEqual(payloads(socket, mark)[0], { text: 'heard 1', left_out: 0 });
    });

    await socket.close();
    await device.act('PATCH', '/config', { browser: null });
    await device.showWaiting();
    await removeBundles(device);
  },
});
