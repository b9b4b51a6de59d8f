import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import { mediaFile } from '../harness/media.ts';
import { type ScenarioContext, scenario } from '../harness/suite.ts';

const SHOWN_MS = 60_000;
/** How long a page's timers may be late on a busy computer. */
const LATE_MS = 500;
const MITHRIL = new URL('../../node_modules/mithril/mithril.min.js', import.meta.url);
/** The smallest document that is one. */
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>`;

const after = (ms: number, script: string) =>
  `<script>addEventListener('load', () => setTimeout(() => { ${script} }, ${ms}))</script>`;
const every = (ms: number, script: string) => `<script>setInterval(() => { ${script} }, ${ms})</script>`;

/** Asks for something when the page is there. */
const THERE = '<img src="?there">';

/** Addresses that bring no page. */
interface Nowhere {
  held: string;
  none: string;
  download: string;
}

/** A page that navigates by itself, `ms` after it has loaded or again and again. */
const HOSTILE: Readonly<Record<string, (ms: number, nowhere: Nowhere) => string>> = {
  'a blob of itself': (ms) =>
    after(
      ms,
      "location = URL.createObjectURL(new Blob([document.documentElement.outerHTML], { type: 'text/html' }))",
    ),
  itself: (ms) => after(ms, "location = location.pathname + '?' + Math.random()"),
  'a reload': (ms) => after(ms, 'location.reload()'),
  'a form': (ms) => `<form method=post></form>${after(ms, 'document.forms[0].submit()')}`,
  'a refresh': () => '<meta http-equiv=refresh content=0>',
  places: (ms) => every(ms, 'location.hash = Math.random()'),
  history: (ms) => every(ms, "history.pushState(0, '', '?' + Math.random()); history.back()"),
  'what never answers': (ms, { held }) => every(ms, `location = '${held}?' + Math.random()`),
  'what has no content': (ms, { none }) => every(ms, `location = '${none}?' + Math.random()`),
  'a download': (ms, { download }) => every(ms, `location = '${download}?' + Math.random()`),
};

const title = (context: ScenarioContext) => context.device.runScript('document.title');

async function show({ device }: ScenarioContext, url: string): Promise<unknown> {
  await device.act('POST', '/display/navigate', { url });
  return await device.waitForDisplay((state) => field(state, 'loading') === false, url, SHOWN_MS);
}

/** Asks for another target while a page navigates by itself, and checks that the target is shown and stays. */
async function race(context: ScenarioContext, hostile: string, good: string): Promise<void> {
  const { device, pages } = context;
  const isShown = (url: string) => (state: unknown) =>
    field(state, 'target_url') === url &&
    field(state, 'url') === url &&
    field(state, 'loading') === false &&
    field(state, 'error') === null;
  for (const target of ['navigate', 'waiting']) {
    const from = pages.requests.length;
    await device.act('POST', '/display/navigate', { url: hostile });
    // It may never be complete.
    await waitFor(() => pages.requests.slice(from).some((path) => path.endsWith('?there')), {
      timeoutMs: SHOWN_MS,
      what: 'the page',
    });
    if (target === 'waiting') {
      await device.showWaiting();
      await waitFor(async () => (await title(context)) === 'Vitrine', {
        timeoutMs: SHOWN_MS,
        what: 'the waiting page',
      });
    } else {
      await device.act('POST', '/display/navigate', { url: good });
      await device.waitForDisplay(isShown(good), 'the target', SHOWN_MS);
      assert.equal(await title(context), 'good');
    }
    // What the page before had begun would have come by now.
    await sleep(LATE_MS);
    assert.equal(await title(context), target === 'waiting' ? 'Vitrine' : 'good');
  }
}

/** An app with two views. @param prefix `#!` for a router in the fragment; empty for one with the history */
const app = (
  library: string,
  prefix: string,
) => `<!doctype html><title>app</title><main></main><script>${library}</script><script>
  window.document_id = Math.random();
  const view = (name) => ({ view: () => m('p', { id: 'view' }, name) });
  m.route.prefix = '${prefix}' || location.pathname.split('/').slice(0, 2).join('/');
  m.route(document.querySelector('main'), '/a', { '/a': view('a'), '/b': view('b') });
</script>`;

export default scenario({
  title:
    'what a page does by itself does not replace what the host asked for; routers; kinds of files; windows',
  needs: 'system',
  machine: 'shared',
  run: async (context) => {
    const { device, pages, test, longTest } = context;
    const good = pages.add('<title>good</title>good');
    const nowhere = {
      held: pages.add(''),
      none: pages.add('', 204),
      download: pages.add('x', 200, { 'content-disposition': 'attachment' }),
    };
    const release = pages.hold(nowhere.held);
    const name = (kind: string) => `a page that goes to ${kind} does not keep the target out`;
    for (const [kind, page] of Object.entries(HOSTILE)) {
      await test(name(kind), () => race(context, pages.add(THERE + page(20, nowhere)), good));
      // An emulated browser takes longer than these times.
      if (device.isEmulated) continue;
      await longTest(`${name(kind)}, at other times`, async () => {
        for (const ms of [0, 50, 200, 1000]) await race(context, pages.add(THERE + page(ms, nowhere)), good);
      });
    }

    for (const [kind, prefix] of [
      ['fragment', '#!'],
      ['history', ''],
    ] as const) {
      await test(`an app with a ${kind} router: navigate leads to its views and to its start, wherever it is`, async () => {
        const url = pages.add(app(await readFile(MITHRIL, 'utf8'), prefix));
        const at = (view: string) => (prefix ? `${url}${prefix}${view}` : `${url}${view}`);
        const isAt = async (view: string) => {
          await waitFor(
            async () => (await device.runScript("document.querySelector('#view').textContent")) === view,
            { timeoutMs: SHOWN_MS, what: `the view ${view}` },
          );
          const state = await device.waitForDisplay((now) => field(now, 'url') === at(`/${view}`), view);
          assert.deepEqual([field(state, 'loading'), field(state, 'error')], [false, null]);
          return state;
        };
        await show(context, url);
        await isAt('a');
        await device.runScript("m.route.set('/b')");
        assert.equal(field(await isAt('b'), 'target_url'), url);
        const id = await device.runScript('document_id');
        await show(context, at('/a'));
        await isAt('a');
        const isSame = (await device.runScript('document_id')) === id;
        assert.equal(isSame, kind === 'fragment', 'a place in the same document keeps it');
        await device.runScript("m.route.set('/b')");
        await isAt('b');
        await show(context, `${at('/b')}${prefix ? '' : '#place'}`);
        assert.equal(await device.runScript("document.querySelector('#view').textContent"), 'b');
        await show(context, url);
        await isAt('a');
      });
    }

    await test('each kind of file is shown, or has a clear error', async () => {
      const file = (type: string, content: string | Buffer) =>
        pages.add(content, 200, { 'content-type': type });
      const shown: [string, string | Buffer][] = [
        ['video/mp4', await mediaFile('h264-aac.mp4')],
        ['video/webm', await mediaFile('vp9-opus.webm')],
        ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>'],
        ['text/plain', 'hello'],
        ['text/csv', 'a,b'],
        ['application/json', '{}'],
        ['application/xml', '<a/>'],
      ];
      for (const [type, content] of shown) {
        const state = await show(context, file(type, content));
        assert.equal(field(state, 'error'), null, type);
        assert.equal(await device.runScript('document.contentType'), type);
      }
      const refused: [string, RegExp][] = [
        ['application/pdf', /PDF documents are not shown/],
        ['application/zip', /a file to download/],
        ['application/octet-stream', /a file to download/],
      ];
      for (const [type, message] of refused) {
        const { error } = Object(await show(context, file(type, type.endsWith('pdf') ? PDF : 'x')));
        assert.equal(field(error, 'code'), 'load_failed', type);
        assert.match(String(field(error, 'message')), message);
      }
    });

    await test('a video plays and its page stays, without being loaded again', async () => {
      const url = pages.add(await mediaFile('h264-aac.mp4'), 200, { 'content-type': 'video/mp4' });
      await show(context, url);
      await waitFor(async () => device.runScript("document.querySelector('video').ended"), {
        timeoutMs: SHOWN_MS,
        what: 'the end of the video',
      });
      const { loading, error } = Object(await device.get('/display'));
      assert.deepEqual([loading, error], [false, null]);
    });

    await test('what asks for a window goes there itself when a person has clicked, and is refused to scripts', async () => {
      const other = pages.add('<title>other</title>');
      const links = pages.add(
        `<title>links</title><a target=_blank href=${other}?link>a</a><form target=_blank action=${other}></form>
        <script>setTimeout(() => { window.opened = [open('${other}?script'), 0] }, 6000)</script>`,
      );
      // A script of the host counts as a use of the page by a person.
      const uses = [
        "document.querySelector('a').click()",
        'document.forms[0].submit()',
        `open('${other}?open')`,
      ];
      for (const use of uses) {
        await show(context, links);
        await device.runScript(use);
        await waitFor(async () => (await title(context)) === 'other', { timeoutMs: SHOWN_MS, what: use });
      }
      await show(context, links);
      await waitFor(() => device.runScript('window.opened !== undefined'), {
        timeoutMs: SHOWN_MS,
        what: 'the script',
      });
      assert.deepEqual(await device.runScript('opened'), [null, 0]);
      await sleep(LATE_MS);
      assert.equal(await title(context), 'links');
      assert.ok(!pages.requests.some((path) => path.endsWith('?script')));
    });
    release();
    await device.showWaiting();
  },
});
