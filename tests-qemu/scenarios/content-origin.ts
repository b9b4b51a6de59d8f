import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import { type Colour, colourAt, near } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import { zip } from '../../testing/zip.ts';
import { CONTENT_PORT, putBundle, removeBundles } from '../harness/bundles.ts';
import { CABLE } from '../harness/cable.ts';
import { coloursPage, type PageServer } from '../harness/pages.ts';
import { waitForSpots } from '../harness/screen.ts';
import { type ScenarioContext, scenario } from '../harness/suite.ts';

const TEAL: Colour = [0, 128, 128];
const RED: Colour = [200, 30, 30];
const PAGE_MS = 240_000;

const originOf = (name: string): string => `http://${name}.localhost:${CONTENT_PORT}`;

/** A picture, a script, a stylesheet and a text that only their own bundle may load. */
const SECRETS = {
  'secret.json': '{"secret":true}',
  'secret.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9"/></svg>',
  'secret.js': 'globalThis.secret = true;',
  'secret.css': 'html { --secret: true }',
};

/**
 * A page's script that tries to load the secrets of `origin` in all ways, and reports the successful ones by a request
 * for `<report>?way-way.`
 */
function tries(origin: string, report: string): string {
  return `<script type="module">
    const at = (file) => ${JSON.stringify(origin)} + '/' + file;
    const element = (tag, fields) => new Promise((resolve, reject) => {
      const made = Object.assign(document.createElement(tag), fields, { onload: resolve, onerror: reject });
      document.head.append(made);
    });
    const text = async (options) => {
      if (!(await (await fetch(at('secret.json'), options)).text()).includes('secret')) throw new Error();
    };
    const ways = {
      cors: text(),
      opaque: text({ mode: 'no-cors' }),
      image: element('img', { src: at('secret.svg') }),
      script: element('script', { src: at('secret.js') }).then(() => { if (!globalThis.secret) throw new Error(); }),
      style: element('link', { rel: 'stylesheet', href: at('secret.css') }),
      module: import(at('secret.js')),
    };
    const late = new Promise((_, reject) => setTimeout(reject, 90000));
    const got = await Promise.allSettled(Object.values(ways).map((way) => Promise.race([way, late])));
    const names = Object.keys(ways).filter((_, i) => got[i].status === 'fulfilled');
    await fetch(${JSON.stringify(report)} + '?' + names.join('-') + '.', { mode: 'no-cors' });
  </script>`;
}

const ALL_WAYS = 'cors-opaque-image-script-style-module';

/** Waits for a page's report to `path` of the page server, and returns the part after the question mark. */
async function reported(pages: PageServer, path: string): Promise<string | undefined> {
  const line = await waitFor(() => pages.requests.find((request) => request.startsWith(`${path}?`)), {
    timeoutMs: PAGE_MS,
    what: `a page to report to ${path}`,
  });
  return line.split('?')[1];
}

export default scenario({
  title: 'a bundle has its own origin: no other page can read it, and it cannot manage the device',
  needs: 'system',
  machine: 'shared',
  run: async (context: ScenarioContext) => {
    const { device, pages, test } = context;
    const framed = `${pages.origin}/framed`;

    await test('a bundle reads its own files in every way', async () => {
      const page = `<!doctype html><title>own</title>${tries('', `${pages.origin}/own`)}`;
      await putBundle(device, 'vault', await zip({ 'index.html': page, ...SECRETS }));
      await device.act('POST', '/display/bundle', { name: 'vault' });
      assert.equal(await reported(pages, '/own'), `${ALL_WAYS}.`);
    });

    await test('a remote page cannot read a bundle or navigate to it', async () => {
      const url = pages.add(`<!doctype html><title>remote</title><style>html{background:#c81e1e}
        iframe{position:fixed;left:50%;top:0;width:50%;height:100%;border:0;background:#c81e1e}</style>
        <iframe src="${originOf('vault')}/shown.html"></iframe>${tries(originOf('vault'), '/remote')}`);
      const html = coloursPage(TEAL, TEAL);
      const shown = await zip({ 'index.html': html, 'shown.html': html, ...SECRETS });
      await putBundle(device, 'vault', shown);
      await device.act('POST', '/display/navigate', { url });
      assert.equal(await reported(pages, '/remote'), '.');
      const page = { what: 'the page itself', x: 0.25, y: 0.5, colour: RED };
      await waitForSpots(() => device.screen(), [page], PAGE_MS);
      assert.ok(!near(colourAt(await device.screen(), 0.75, 0.5), TEAL), 'the bundle is in the frame');

      const leaving = pages.add(`<!doctype html><title>leaving</title><style>html{background:#c81e1e}</style>
        <script>onload = () => {
          location.href = '${originOf('vault')}/shown.html';
          setTimeout(() => fetch('/still-here?.'), 5000);
        };</script>`);
      await device.act('POST', '/display/navigate', { url: leaving });
      await reported(pages, '/still-here');
      const display = await device.get('/display');
      assert.equal(field(display, 'mode'), 'url');
      assert.equal(field(display, 'url'), leaving);
      assert.ok(near(colourAt(await device.screen(), 0.5, 0.5), RED), 'the page has gone to the bundle');
    });

    await test('a remote page in a frame of the displayed bundle cannot read that bundle', async () => {
      const stolen = `<script>fetch('${pages.origin}/stolen', { mode: 'no-cors' })</script>`;
      const remote = pages.add(`<!doctype html><title>inside</title>${tries(originOf('host'), framed)}
        <iframe src="${originOf('host')}/page.html"></iframe>`);
      const goes = pages.add(`<script>location.href = '${originOf('host')}/page.html';</script>`);
      const page = `<!doctype html><title>host</title><iframe src="${remote}"></iframe><iframe src="${goes}"></iframe>
        <script>
          const settled = () => fetch('${pages.origin}/settled?.', { mode: 'no-cors' });
          onload = () => setTimeout(settled, 10000);
        </script>`;
      await putBundle(device, 'host', await zip({ 'index.html': page, 'page.html': stolen, ...SECRETS }));
      await device.act('POST', '/display/bundle', { name: 'host' });
      assert.equal(await reported(pages, '/framed'), '.');
      await reported(pages, '/settled');
      assert.equal(pages.loads(goes), 1);
      assert.ok(!pages.requests.includes('/stolen'), 'a frame of another site showed a page of the bundle');
    });

    await test('a remote page to which the bundle itself has navigated cannot read the bundle', async () => {
      const stolen = `<script>fetch('${pages.origin}/taken', { mode: 'no-cors' })</script>`;
      const remote =
        pages.add(`<!doctype html><title>away</title>${tries(originOf('away'), `${pages.origin}/away`)}
        <script type="module">
          location.href = '${originOf('away')}/page.html';
          setTimeout(() => fetch('/away-still-here?.'), 5000);
        </script>`);
      const page = `<!doctype html><title>leads away</title><script>location.href = '${remote}'</script>`;
      await putBundle(device, 'away', await zip({ 'index.html': page, 'page.html': stolen, ...SECRETS }));
      await device.act('POST', '/display/bundle', { name: 'away' });
      assert.equal(await reported(pages, '/away'), '.');
      await reported(pages, '/away-still-here');
      assert.ok(!pages.requests.includes('/taken'), 'a page of another site opened a page of the bundle');
    });

    await test('a bundle gets no response from the API and changes nothing', async () => {
      const hosts = JSON.stringify([
        '127.0.0.1',
        'localhost',
        '[::1]',
        '10.55.77.1',
        CABLE.device,
        '10.0.2.15',
      ]);
      const page = `<!doctype html><title>hostile</title><script type="module">
        const ways = ${hosts}.map((host) => 'http://' + host + '/api/v1/').flatMap((base) => [
          fetch(base + 'device').then(() => 'read'),
          fetch(base + 'device', { mode: 'no-cors' }).then(() => 'sent'),
          fetch(base + 'device/reboot', { mode: 'no-cors', method: 'POST' }).then(() => 'sent'),
        ]);
        // Its own origin has no API either.
        ways.push(fetch('/api/v1/device').then((answer) => answer.ok ? 'own' : Promise.reject()));
        const got = (await Promise.allSettled(ways)).filter(({ status }) => status === 'fulfilled');
        await fetch('${pages.origin}/api?' + got.map(({ value }) => value).join('-') + '.', { mode: 'no-cors' });
      </script>`;
      const boot = await device.bootId();
      await putBundle(device, 'hostile', await zip({ 'index.html': page }));
      await device.act('POST', '/display/bundle', { name: 'hostile' });
      assert.equal(await reported(pages, '/api'), '.');
      assert.equal(await device.bootId(), boot);
    });

    await test('the device is restored to its initial state', async () => {
      await device.showWaiting();
      await removeBundles(device);
    });
  },
});
