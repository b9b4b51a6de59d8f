import assert from 'node:assert/strict';
import { shellQuote } from '../../ci/qemu/shell.ts';
import { field } from '../../testing/field.ts';
import type { Colour } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import { processes } from '../harness/guest.ts';
import { type ScenarioContext, scenario } from '../harness/suite.ts';
import { RecordingServer } from '../harness/web.ts';

const GREEN: Colour = [20, 160, 60];
const AMBER: Colour = [230, 150, 10];
/** A check each minute, its time limit, and a restart of the compositor on a guest without KVM. */
const BACK_MS = 240_000;

const errorCode = (display: unknown): unknown => field(field(display, 'error'), 'code');
const isUp = (display: unknown): boolean =>
  field(display, 'loading') === false && field(display, 'error') === null;

const SITE_PORT = 8099;
const SITE_SERVER = `require('http').createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<title>site</title><h1>' + request.headers.host + '</h1><script>const held = new Array(1e6).fill(1.5)</script>');
}).listen(${SITE_PORT})`;

/** Loads that never commit or never finish. Each must end `loading`, and the device must go on. */
async function checkEnds({ device, pages }: ScenarioContext, body: string, headers = {}): Promise<void> {
  const url = pages.add(body, 200, headers);
  await device.act('POST', '/display/navigate', { url });
  await device.waitForDisplay(isUp, 'the end of the load');
  assert.equal(field(await device.get('/display'), 'url'), url);
}

export default scenario({
  title: 'a screen that shows no frames and a page that hangs are found and recovered, and every load ends',
  needs: 'system',
  machine: 'shared',
  run: async (context) => {
    const { device, options, pages, print, test } = context;
    const { sites } = options;

    await test('window.stop() and navigations to nothing or to a download end loading', async () => {
      await checkEnds(context, '<p>one</p><img src="/never"><script>window.stop()</script><p>two');
      const nothing = pages.add('', 204);
      await checkEnds(
        context,
        `<p>stays<script>onload = () => { location = ${JSON.stringify(nothing)} }</script>`,
      );
      await waitFor(() => pages.loads(nothing) > 0, { timeoutMs: BACK_MS, what: 'the request for nothing' });
      await device.waitForDisplay(isUp, 'the end of the load');
      const file = pages.add('text', 200, { 'content-disposition': 'attachment; filename=a.txt' });
      await checkEnds(
        context,
        `<p>stays<script>onload = () => { location = ${JSON.stringify(file)} }</script>`,
      );
      await waitFor(() => pages.loads(file) > 0, { timeoutMs: BACK_MS, what: 'the request for the file' });
      await device.waitForDisplay(isUp, 'the end of the load');
      for (const url of [nothing, file]) {
        await device.act('POST', '/display/navigate', { url });
        await device.waitForDisplay(
          (display) => errorCode(display) === 'load_failed' && field(display, 'loading') === false,
          `the failure of ${url}`,
        );
      }
    });

    await test('a page that never finishes stays, and loading ends', async () => {
      const server = await RecordingServer.start();
      try {
        server.documents.set('/endless', '<title>endless</title><img src="/image">');
        server.documents.set('/image', undefined);
        const url = `${server.origin}/endless`;
        await device.act('POST', '/display/navigate', { url });
        await device.waitForDisplay(isUp, 'the end of the load', BACK_MS);
        assert.equal(await device.runScript('document.title + document.readyState'), 'endlessinteractive');
      } finally {
        await server.close();
      }
    });

    await test('a compositor that stands still is reported as screen_frozen and restarted with the same page', async () => {
      const url = pages.addColours(GREEN, AMBER);
      await device.act('POST', '/display/navigate', { url });
      await device.waitForColours(GREEN, AMBER);
      const [cage] = await processes(device, 'cage');
      const events = await device.events('display_state');
      try {
        const mark = events.events.mark;
        const start = performance.now();
        await device.shell.ok(`kill -STOP ${cage}`);
        await events.events.next('display_state', mark, (state) => errorCode(state) === 'screen_frozen');
        print(`screen_frozen after ${Math.round((performance.now() - start) / 1000)} s`);
        await device.waitForDisplay(
          (display) => isUp(display) && field(display, 'url') === url,
          'the page',
          BACK_MS,
        );
        assert.ok(pages.loads(url) > 1);
        await device.waitForColours(GREEN, AMBER, BACK_MS);
        assert.notEqual((await processes(device, 'cage'))[0], cage);
        print(`recovered after ${Math.round((performance.now() - start) / 1000)} s`);
      } finally {
        await events.close();
      }
    });

    await test('a page that hangs is recovered', async () => {
      const url = pages.add(`<style>html{height:100%;background:rgb(${GREEN})}</style><script>
        if (!localStorage.hung) setTimeout(() => { localStorage.hung = 1; for (;;); }, 1000);
        else document.documentElement.style.background = 'rgb(${AMBER})';</script>`);
      await device.act('POST', '/display/navigate', { url });
      await device.waitForColours(GREEN, GREEN);
      const start = performance.now();
      await device.waitForColours(AMBER, AMBER, BACK_MS);
      print(
        `recovered ${Math.round((performance.now() - start) / 1000)} s after the page was shown, and 1 s later hung`,
      );
      await device.waitForDisplay(isUp, 'the page to be loaded');
    });

    await test(`${sites} sites one after the other leave no more web processes than the limit`, async () => {
      await device.shell.ok(`for i in $(seq 1 ${sites}); do ip addr add 10.9.0.$i/32 dev lo; done`);
      await device.shell.ok(
        `node -e ${shellQuote(SITE_SERVER)} </dev/null >/dev/null 2>&1 & echo $! >/run/sites.pid`,
      );
      try {
        const counts: unknown[] = [];
        for (let site = 1; site <= sites; site += 1) {
          const url = `http://10.9.0.${site}:${SITE_PORT}/`;
          await device.act('POST', '/display/navigate', { url });
          await device.waitForDisplay((display) => isUp(display) && field(display, 'url') === url, url);
          counts.push((await processes(device, 'WPEWebProcess')).length);
        }
        const browser = field(await device.get('/device/health'), 'browser');
        const limit = Number(field(browser, 'web_process_limit'));
        print(
          `${Math.max(...counts.map(Number))} web processes at most, limit ${limit}, ${JSON.stringify(browser)}`,
        );
        assert.ok(
          counts.every((count) => Number(count) <= limit),
          `${counts} of ${limit}`,
        );
        assert.equal(field(browser, 'memory_restarts'), 0);
      } finally {
        await device.shell.run(
          `kill $(cat /run/sites.pid); for i in $(seq 1 ${sites}); do ip addr del 10.9.0.$i/32 dev lo; done`,
        );
      }
    });

    await device.showWaiting();
  },
});
