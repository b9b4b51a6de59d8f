import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { field } from '../../testing/field.ts';
import { certificate } from '../../testing/make-certificates.ts';
import { waitFor } from '../../testing/wait.ts';
import { zip } from '../../testing/zip.ts';
import { putBundle, removeBundles } from '../harness/bundles.ts';
import { type ScenarioContext, scenario } from '../harness/suite.ts';
import { RecordingServer } from '../harness/web.ts';

const WAIT_MS = 120_000;
const MIB = 1024 * 1024;
/** Messages that a page sends without a pause: more than may wait in it. */
const BURST = 1500;
const MESSAGES = 1000;
/** Together more than the buffers between the device and a host that does not read. */
const PAD = 200_000;
const STUCK_MESSAGES = 120;
const STRICT = { 'content-security-policy': "default-src 'none'; require-trusted-types-for 'script'" };
const REMOTE_CLIENT = '<script src="vitrine://client/display-client.js"></script>';

/** A page with the client that echoes what a host sends, and keeps it. */
const echo = (client: string): string => `<!doctype html><title>echo</title>${client}<script>
  window.got = [];
  vitrine.onmessage = (value) => { got.push(value); if (value.echo) vitrine.send({ back: value.echo }); };
</script>`;

/** The HTML in docs/pages.md, as a page that is not in a bundle. */
async function documentedExample(): Promise<string> {
  const text = await readFile(new URL('../../docs/pages.md', import.meta.url), 'utf8');
  const html = /```html\n(.*?)```/s.exec(text)?.[1];
  if (!html?.includes('vitrine://client/')) throw new Error('docs/pages.md has no example');
  return html.replace(/^.*"\/display-client\.js".*$/m, '');
}

/** The status and the error of a script that must fail. */
async function failure({ device }: ScenarioContext, script: string): Promise<unknown[]> {
  const { status, body } = await device.http('POST', '/display/execute-js', { json: { script } });
  return [status, field(body, 'error.code'), field(body, 'error.details')];
}

async function show({ device }: ScenarioContext, url: string): Promise<void> {
  await device.act('POST', '/display/navigate', { url });
  await device.waitForDisplay((state) => field(state, 'loading') === false, 'the page to be loaded', WAIT_MS);
}

async function waitOpen({ device }: ScenarioContext, isOpen = true): Promise<void> {
  await waitFor(async () => field(await device.get('/page/status'), 'open') === isOpen, {
    timeoutMs: WAIT_MS,
    what: isOpen ? 'the channel to open' : 'the channel to close',
    intervalMs: 100,
  });
}

export default scenario({
  title: 'hosts run scripts in the page and exchange messages with it',
  needs: 'system',
  machine: 'shared',
  run: async (context) => {
    const { device, pages, test } = context;

    // Scripts wait for pages, which take long on an emulated device.
    await device.act('PATCH', '/config', { browser: { script_timeout_ms: 60_000 } });
    await test('a script runs in every mode, at once after a navigation, and never in the page before', async () => {
      assert.equal(
        await device.runScript('document.readyState !== undefined && location.protocol'),
        'vitrine:',
      );
      await putBundle(device, 'talk', await zip({ 'index.html': '<title>bundle</title>' }));
      await device.act('POST', '/display/bundle', { name: 'talk' });
      assert.equal(await device.runScript('const { host } = location; host.split(".")[0]'), 'talk');
      for (const title of ['one', 'two', 'three']) {
        const url = pages.add(`<title>${title}</title>`);
        await device.act('POST', '/display/navigate', { url });
        assert.equal(await device.runScript('location.href'), url);
      }
    });

    await test('a message after an accepted target reaches the next page only, however slow that is', async () => {
      await show(context, pages.add(echo(REMOTE_CLIENT)));
      await waitOpen(context);
      const send = async (json: object) => (await device.http('POST', '/page/message', { json })).status;
      assert.equal(await send({ to: 'first' }), 200);
      const next = pages.add(echo(REMOTE_CLIENT));
      const release = pages.hold(next);
      await device.act('POST', '/display/navigate', { url: next });
      assert.equal(await send({ to: 'nobody' }), 409);
      await waitFor(() => pages.loads(next) > 0, {
        timeoutMs: WAIT_MS,
        what: 'the next page to be asked for',
      });
      assert.equal(await send({ to: 'nobody' }), 409);
      release();
      await waitOpen(context);
      assert.equal(await send({ to: 'next' }), 200);
      assert.deepEqual(await device.runScript('got'), [{ to: 'next' }]);
      // The same document again, at another place: the channel opens again without a load.
      await device.act('POST', '/display/navigate', { url: `${next}#place` });
      await waitOpen(context);
      assert.equal(await send({ to: 'same' }), 200);
      assert.deepEqual(await device.runScript('got'), [{ to: 'next' }, { to: 'same' }]);
    });

    await test('values, promises and exceptions under a strict content security policy', async () => {
      await show(context, pages.add('<title>strict</title>', 200, STRICT));
      assert.deepEqual(await device.runScript('({ a: [1, null, "é"] })'), { a: [1, null, 'é'] });
      assert.equal(
        await device.runScript('await new Promise((done) => setTimeout(done, 20, document.title))'),
        'strict',
      );
      assert.equal(await device.runScript('undefined'), null);
      const [status, code, details] = await failure(context, 'const a = 1;\n\n  null.member');
      assert.deepEqual([status, code], [400, 'script_error']);
      assert.partialDeepStrictEqual(details, { line: 3, column: 7 });
      assert.match(String(field(details, 'message')), /null is not an object/);
      assert.partialDeepStrictEqual(await failure(context, 'let let'), [
        400,
        'script_error',
        { line: 1, column: 5 },
      ]);
      assert.equal(String(await device.runScript(`"x".repeat(${4 * MIB - 2})`)).length, 4 * MIB - 2);
      assert.deepEqual((await failure(context, `"x".repeat(${4 * MIB - 1})`)).slice(0, 2), [
        400,
        'script_error',
      ]);
    });

    await test('a script ends by its time limit, and by a navigation; 40 calls fit, the next is refused', async () => {
      await device.act('PATCH', '/config', { browser: { script_timeout_ms: 500 } });
      assert.deepEqual((await failure(context, 'await new Promise(() => 0)')).slice(0, 2), [
        504,
        'script_timeout',
      ]);
      await device.act('PATCH', '/config', { browser: { script_timeout_ms: 60_000 } });
      const calls: Promise<unknown[]>[] = [];
      for (let call = 0; call < 41; call += 1) {
        calls.push(failure(context, 'await new Promise((done) => { onclick = done; })'));
        // QEMU's network takes one new connection at a time; others would be tried again seconds later.
        await device.get('/page/status');
      }
      const refused = await Promise.race(calls);
      assert.deepEqual(refused.slice(0, 2), [429, 'too_many_requests']);
      await show(context, pages.add('<title>next</title>'));
      const ends = (await Promise.all(calls)).map(([status]) => status).sort();
      assert.deepEqual(ends, [...Array(40).fill(409), 429]);
    });

    await test('a page of another origin and a bundle talk with hosts on both links', async () => {
      const files = { 'index.html': echo('<script src="/display-client.js"></script>') };
      await device.act('POST', '/display/waiting');
      await putBundle(device, 'talk', await zip(files));
      const socket = await device.events('page_channel', 'page_message');
      const serial = await device.serial();
      try {
        await serial.subscribe('page_channel', 'page_message');
        const closed = await device.http('POST', '/page/message', { json: {} });
        assert.deepEqual([closed.status, field(closed.body, 'error.code')], [409, 'page_channel_closed']);
        for (const display of [
          () => device.act('POST', '/display/navigate', { url: pages.add(echo(REMOTE_CLIENT)) }),
          () => device.act('POST', '/display/bundle', { name: 'talk' }),
        ]) {
          const [onSocket, onSerial] = [socket.events.mark, serial.events.mark];
          await display();
          const isOpen = (payload: unknown) => field(payload, 'open') === true;
          await socket.events.next('page_channel', onSocket, isOpen);
          await serial.events.next('page_channel', onSerial, isOpen);
          const back = (word: string) => (payload: unknown) => field(payload, 'back') === word;
          assert.deepEqual(await device.act('POST', '/page/message', { echo: 'rest' }), { open: true });
          await socket.events.next('page_message', onSocket, back('rest'));
          socket.send({ type: 'page_message', payload: { echo: 'socket' } });
          serial.send({ type: 'page_message', payload: { echo: 'serial' } });
          for (const word of ['rest', 'socket', 'serial']) {
            await socket.events.next('page_message', onSocket, back(word));
            await serial.events.next('page_message', onSerial, back(word));
          }
          assert.deepEqual(Object(await device.runScript('got.map(({ echo }) => echo)'))[0], 'rest');
        }
        const mark = socket.events.mark;
        await device.act('POST', '/display/reload');
        await socket.events.next('page_channel', mark, (payload) => field(payload, 'open') === false);
        await waitOpen(context);
        await device.showWaiting();
        await waitOpen(context, false);
        serial.send({ type: 'page_message', payload: 1 });
        assert.equal(field(await serial.frame('error'), 'error.code'), 'page_channel_closed');
      } finally {
        await serial.close();
        await socket.close();
      }
    });

    await test(`${MESSAGES} messages arrive in order each way; a page that floods waits, and others are served`, async () => {
      await show(context, pages.add(echo(REMOTE_CLIENT)));
      await waitOpen(context);
      const socket = await device.events('page_message');
      try {
        await device.runScript(
          `window.done = 0; (async () => { for (let n = 0; n < ${MESSAGES}; n++) { if (await vitrine.send({ n })) done++; } })(); 0`,
        );
        const numbers = () =>
          socket.events.since(0, 'page_message').map(({ payload }) => field(payload, 'n'));
        await waitFor(() => numbers().length >= MESSAGES, {
          timeoutMs: WAIT_MS,
          what: 'all messages of the page',
          intervalMs: 50,
        });
        assert.deepEqual(
          numbers(),
          Array.from({ length: MESSAGES }, (_, n) => n),
        );
        for (let n = 0; n < MESSAGES; n += 200) {
          for (let i = n; i < n + 200; i += 1) socket.send({ type: 'page_message', payload: { n: i } });
          await waitFor(async () => (await device.runScript('got.length')) === n + 200, {
            timeoutMs: WAIT_MS,
            what: `${n + 200} messages in the page`,
            intervalMs: 100,
          });
        }
        assert.deepEqual(
          await device.runScript('got.map(({ n }) => n)'),
          Array.from({ length: MESSAGES }, (_, n) => n),
        );
        assert.deepEqual(socket.others.mark, 1, 'only the acknowledgement of the subscription');
        // A flood that hardly waits: the client refuses once 1024 messages wait in the page. All of them are transferred, for
        // which an emulated device would need minutes if they were as large as elsewhere.
        await device.act('PATCH', '/config', { browser: { script_timeout_ms: 120_000 } });
        const { mark } = socket.events;
        const size = device.isEmulated ? 10_000 : 100_000;
        const refused = await device.runScript(`let refused = 0; const big = 'x'.repeat(${size});
           const pause = () => new Promise((done) => setTimeout(done));
           for (let n = 0; n < 10_000 && refused <= 1000; n++) {
             vitrine.send({ big }).catch(() => refused++);
             if (n % ${BURST} === 0) await pause(); // the page still answers the agent
           }
           refused`);
        assert.ok(Number(refused) > 1000, `${refused} were refused`);
        await socket.events.next('page_message', mark, (payload) => field(payload, 'big') !== undefined);
        assert.equal(field(await device.get('/display'), 'mode'), 'url');
        assert.equal(socket.closed, undefined, 'a host that reads keeps its link');
        await device.act('PATCH', '/config', { browser: { script_timeout_ms: null } });
      } finally {
        await socket.close();
      }
      await device.showWaiting();
    });

    await test('the example of docs/pages.md works over https, under a content security policy', async () => {
      const web = await RecordingServer.start(certificate({ name: 'self-signed' }));
      const socket = await device.events('page_message');
      try {
        await device.act('PATCH', '/config', { browser: { ignore_tls_errors: true } });
        web.headers = {
          'content-security-policy': "default-src 'none'; script-src vitrine: 'unsafe-inline'",
        };
        web.documents.set('/example', `<!doctype html><body>${await documentedExample()}`);
        await show(context, `${web.origin}/example`);
        await waitOpen(context);
        await device.act('POST', '/page/message', { text: 'Hello' });
        await socket.events.next('page_message', 0, (payload) => field(payload, 'shown') === 'Hello');
        assert.equal(await device.runScript('document.body.textContent'), 'Hello');
      } finally {
        await device.act('PATCH', '/config', { browser: { ignore_tls_errors: null } });
        await socket.close();
        await web.close();
      }
    });

    await test('a host that does not read loses its link, and another one gets every message', async () => {
      await show(context, pages.add(echo(REMOTE_CLIENT)));
      await waitOpen(context);
      const [reading, stuck] = [await device.events('page_message'), await device.events('page_message')];
      try {
        stuck.socket.pause();
        await device.runScript(
          `window.sent = 0; (async () => { const pad = 'x'.repeat(${PAD}); for (;;) { await vitrine.send({ n: sent, pad }); sent++; } })(); 0`,
        );
        const count = () => reading.events.since(0, 'page_message').length;
        // The device sends on after the time limit of the host that it waits for.
        await waitFor(
          () => {
            const came = count();
            assert.ok(came > STUCK_MESSAGES, `${came} came`);
            return true;
          },
          { timeoutMs: WAIT_MS, what: 'more messages than a network buffers' },
        );
        await device.showWaiting();
        const numbers = reading.events.since(0, 'page_message').map(({ payload }) => field(payload, 'n'));
        assert.deepEqual(
          numbers,
          numbers.map((_, n) => n),
        );
        assert.equal(reading.closed, undefined);
        stuck.socket.resume();
        await waitFor(() => stuck.closed !== undefined, {
          timeoutMs: WAIT_MS,
          what: 'the socket to be closed',
        });
        const missed = numbers.length - stuck.events.since(0, 'page_message').length;
        assert.ok(missed > 0, `it missed ${missed} messages`);
        // The close frame comes after what is buffered. A missing pong ends the connection without it.
        assert.ok(stuck.closed === 1013 || stuck.closed === 1006, `closed with ${stuck.closed}`);
      } finally {
        await reading.close();
        await stuck.close();
      }
    });

    await test('a sandboxed frame with an opaque origin opens no channel, and a message has at most 1 MiB', async () => {
      const inner = pages.add(
        `${REMOTE_CLIENT}<script>vitrine.onmessage = () => 0; vitrine.send('forged').then((sent) => parent.postMessage(sent, '*'));</script>`,
      );
      // A sandboxed frame of the same server has an opaque origin.
      await show(
        context,
        pages.add(
          `<title>outer</title><iframe sandbox="allow-scripts" src="${inner}"></iframe><script>onmessage = ({ data }) => { document.title = String(data); }</script>`,
        ),
      );
      await waitFor(async () => (await device.runScript('document.title')) === 'false', {
        timeoutMs: WAIT_MS,
        what: 'the frame to find no channel',
        intervalMs: 200,
      });
      assert.deepEqual(await device.get('/page/status'), { open: false });
      await show(context, pages.add(echo(REMOTE_CLIENT)));
      await waitOpen(context);
      assert.equal(await device.runScript(`await vitrine.send('x'.repeat(${MIB - 2}))`), true);
      const [status, code] = await failure(context, `await vitrine.send('x'.repeat(${MIB - 1}))`);
      assert.deepEqual([status, code], [400, 'script_error']);
    });

    await device.act('PATCH', '/config', { browser: null });
    await device.showWaiting();
    await removeBundles(device);
  },
});
