import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOST_ADDRESS } from '../../ci/qemu/arguments.ts';
import { field } from '../../testing/field.ts';
import { certificate } from '../../testing/make-certificates.ts';
import { waitFor } from '../../testing/wait.ts';
import { CABLE, waitForHostAddress } from '../harness/cable.ts';
import type { Device } from '../harness/device.ts';
import { guestHttp } from '../harness/guest.ts';
import { scenario } from '../harness/suite.ts';
import { CONTROL_KEY, LEFT_BUTTON, VncClient, WHEEL_UP } from '../harness/vnc.ts';
import { RecordingServer } from '../harness/web.ts';

/** Time limit for a restart of the browser and the load of its page on a busy emulator, in ms. */
const SHOW_MS = 300_000;
const TRY_MS = 4000;
const ANSWER_MS = 60_000;
const NO_ANSWER = /^(?:timeout|ECONNREFUSED|ECONNRESET|EHOSTUNREACH)$/;
/** User input reaches the page some time after it has loaded. */
const INPUT_EVERY_MS = 1500;
/** Between two user input events: libinput drops a press within 25 ms of a release as a bouncing switch. */
const GAP_MS = 60;

/** Fetches each address without waiting, then reports that. */
const fetching = (...urls: string[]) => `<!doctype html><title>fetches</title><script>
  Promise.allSettled(${JSON.stringify(urls)}.map((url) => fetch(url, { mode: 'no-cors' })))
    .then((all) => fetch('/fetched?' + all.map(({ status }) => status[0]).join('')));
</script>`;

/** Asks for the position, and reports the error's code: 1 is a denial, 2 that no position is known. */
const POSITION = `<!doctype html><title>position</title><script>
  navigator.geolocation.getCurrentPosition(() => fetch('/code?0'), ({ code }) => fetch('/code?' + code));
</script>`;

/** Reports its magnification after each turn of the wheel, and the selected text after each double click. */
const PEOPLE = `<!doctype html><title>people</title><meta http-equiv="content-security-policy"
  content="default-src 'unsafe-inline'; connect-src *"><style>* { user-select: text !important }
  p { font-size: 20vh; margin: 30vh 0; text-align: center }</style><p>Wordwordword</p><script>
  const say = (what) => fetch('/' + what);
  addEventListener('wheel', () => setTimeout(() => say('wheel?' + (visualViewport.scale > 1.05)), 300), { passive: true });
  addEventListener('dblclick', () => setTimeout(() => say('selected?' + getSelection()), 300));
</script>`;

/** Allocates memory until it is ended. */
const HUNGRY = `<!doctype html><title>hungry</title><script>
  const all = [];
  setInterval(() => all.push(new Uint8Array(2e7).fill(7)), 100);
</script>`;

async function restarts(device: Device): Promise<number> {
  return Number(field(await device.get('/device/health'), 'browser.restarts'));
}

async function waitForProblem(device: Device, problem: RegExp): Promise<void> {
  await waitFor(async () => problem.test(String(field(await device.get('/device/health'), 'problems'))), {
    timeoutMs: SHOW_MS,
    what: `a problem like ${problem} in health`,
  });
}

/** Patches the configuration; all of it must be live. Returns the number of restarts of the browser before. */
async function configure(device: Device, patch: object): Promise<number> {
  const before = await restarts(device);
  const { applied } = Object(await device.act('PATCH', '/config', patch));
  assert.deepEqual([...new Set(Object.values(applied))], ['live'], JSON.stringify(applied));
  return before;
}

type Input = (screen: VncClient) => void;
const WHEEL: Input[] = [
  (screen) => screen.pointer(0.5, 0.5, 0),
  (screen) => screen.key(CONTROL_KEY, true),
  (screen) => screen.pointer(0.5, 0.5, WHEEL_UP),
  (screen) => screen.pointer(0.5, 0.5, 0),
  (screen) => screen.key(CONTROL_KEY, false),
];
const CLICK: Input[] = [
  (screen) => screen.pointer(0.5, 0.5, LEFT_BUTTON),
  (screen) => screen.pointer(0.5, 0.5, 0),
];

/** Repeats an input until the page reports it, because the first ones may come before the page listens. */
async function reported(
  screen: VncClient,
  site: RecordingServer,
  inputs: Input[],
  start: string,
): Promise<string> {
  const from = site.requests.length;
  const report = await waitFor(
    async () => {
      for (const input of inputs) {
        input(screen);
        await sleep(GAP_MS);
      }
      return site.requests.slice(from).find(({ url }) => url.startsWith(start));
    },
    { timeoutMs: SHOW_MS, what: `the page to report ${start}`, intervalMs: INPUT_EVERY_MS },
  );
  return report.url;
}

export default scenario({
  title: 'browser and proxy settings take effect live; a damaged or full profile does not stop the browser',
  needs: 'system',
  machine: 'shared',
  run: async ({ device, test }) => {
    const site = await RecordingServer.start();
    const proxy = await RecordingServer.start();
    const [secure, other] = [
      await RecordingServer.start(certificate({ name: 'self-signed' })),
      await RecordingServer.start(certificate({ name: 'self-signed' })),
    ];
    const show = (url: string) => device.act('POST', '/display/navigate', { url });
    const old = await RecordingServer.start({
      ...certificate({ name: 'self-signed' }),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    const pac = `let proxied = ['.proxied.example'];
      const proxy = (host) => proxied.some((end) => host.endsWith(end)) ? 'PROXY ${HOST_ADDRESS}:${proxy.port}' : 'DIRECT';
      function FindProxyForURL(url, host) {
        if (host.includes('broken')) throw new Error('not for this host');
        return proxy(host); }`;
    site.documents.set('/pac', pac);
    site.documents.set('/hanging-pac', undefined);
    site.documents.set(
      '/start',
      fetching('http://a.proxied.example/x', `${secure.origin}/beacon`, 'http://127.0.0.1:1/', '/own'),
    );
    site.headers = { 'set-cookie': 'visited=yes; Max-Age=100000; Path=/start' };

    try {
      await test('user agent, TLS errors and a proxy with exceptions, all in one patch and with one restart', async () => {
        await show(`${site.origin}/start`);
        const { url } = await site.waitForRequest('/fetched', 0, SHOW_MS);
        assert.equal(url, '/fetched?rrrf', 'only its own server answers');
        assert.deepEqual([proxy.requests, secure.requests], [[], []]);

        const from = site.requests.length;
        const before = await configure(device, {
          browser: { user_agent: 'Kiosk/9', ignore_tls_errors: true },
          proxy: { mode: 'manual', http: proxy.origin, no_proxy: [`${HOST_ADDRESS}/32`] },
        });
        assert.equal((await site.waitForRequest('/fetched', from, SHOW_MS)).url, '/fetched?ffrf');
        const again = await site.waitForRequest('/start', from, SHOW_MS);
        assert.equal(again.headers['user-agent'], 'Kiosk/9');
        assert.equal(again.headers.cookie, 'visited=yes', 'cookies outlive a restart');
        assert.deepEqual(
          proxy.requests.map(({ url }) => url),
          ['http://a.proxied.example/x'],
          'neither its own server nor the loopback is reached through the proxy',
        );
        assert.ok(secure.requests.some(({ url }) => url === '/beacon'));
        assert.equal(await restarts(device), before + 1);
        await configure(device, { browser: { user_agent: 'Kiosk/9' }, proxy: { mode: 'manual' } });
        assert.equal(await restarts(device), before + 1, 'the same values change nothing');
      });

      await test('TLS 1.1 is refused, also when certificates are not checked', async () => {
        old.documents.set('/', '<title>old</title>');
        await show(`${old.origin}/`);
        await device.waitForDisplay(
          (display) => field(display, 'error.code') === 'load_failed',
          'an error',
          SHOW_MS,
        );
        assert.deepEqual(old.requests, []);
      });

      await test('languages take effect with the next page', async () => {
        site.documents.set('/languages', `<script>fetch('/language?' + navigator.language)</script>`);
        for (const [languages, header] of [
          [['de-CH', 'fr'], /^de-CH,fr;q=0\.\d+$/],
          [null, /^en-US$/],
        ] as const) {
          const before = await configure(device, { browser: { languages } });
          const from = site.requests.length;
          await show(`${site.origin}/languages?${from}`);
          const { headers } = await site.waitForRequest('/languages', from, SHOW_MS);
          assert.match(String(headers['accept-language']), header);
          const { url } = await site.waitForRequest('/language?', from, SHOW_MS);
          assert.equal(url, `/language?${languages?.[0] ?? 'en-US'}`);
          assert.equal(await restarts(device), before);
        }
      });

      await test('an origin gets the permissions that are listed for it, at once; frames of other origins get none', async () => {
        secure.documents.set('/position', POSITION);
        secure.documents.set('/frame', `<iframe src="${other.origin}/position"></iframe>`);
        other.documents.set('/position', POSITION);
        const position = async (web: RecordingServer, url: string) => {
          const from = web.requests.length;
          await show(url);
          return (await web.waitForRequest('/code?', from, SHOW_MS)).url;
        };
        assert.equal(await position(secure, `${secure.origin}/position`), '/code?1');
        const before = await configure(device, {
          browser: { permissions: [{ origin: secure.origin, kind: 'geolocation' }] },
        });
        assert.equal(await position(secure, `${secure.origin}/position?again`), '/code?2');
        assert.equal(await position(other, `${secure.origin}/frame`), '/code?1', 'a frame');
        assert.equal(await position(other, `${other.origin}/position`), '/code?1', 'another origin');
        assert.equal(await restarts(device), before);
      });

      await test('people can zoom and select text only if that is configured, on the page that is shown', async () => {
        site.documents.set('/people', PEOPLE);
        await show(`${site.origin}/people`);
        const screen = await VncClient.connect(await device.host.vncAddress());
        try {
          assert.equal(await reported(screen, site, WHEEL, '/wheel'), '/wheel?false');
          assert.equal(await reported(screen, site, [...CLICK, ...CLICK], '/selected'), '/selected?');
          const before = await configure(device, { browser: { text_selection: true, zoom: true } });
          const selected = await reported(screen, site, [...CLICK, ...CLICK], '/selected?W');
          assert.match(selected, /\?Wordwordword/);
          await reported(screen, site, WHEEL, '/wheel?true');
          await configure(device, { browser: { text_selection: null, zoom: null } });
          await reported(screen, site, WHEEL, '/wheel?false');
          assert.equal(await restarts(device), before);
        } finally {
          await screen.close();
        }
      });

      await test('a PAC script chooses the proxy, and TLS errors count again', async () => {
        const from = site.requests.length;
        await show(`${site.origin}/start`);
        await site.waitForRequest('/fetched', from, SHOW_MS);
        const next = [site.requests.length, proxy.requests.length, secure.requests.length] as const;
        const before = await configure(device, {
          browser: { ignore_tls_errors: false, memory_limit_mb: 400, remote_debugging: true },
          proxy: { mode: 'pac', pac_url: `${site.origin}/pac` },
        });
        assert.equal((await site.waitForRequest('/fetched', next[0], SHOW_MS)).url, '/fetched?frrf');
        assert.deepEqual(
          proxy.requests.slice(next[1]).map(({ url }) => url),
          ['http://a.proxied.example/x'],
        );
        assert.deepEqual(secure.requests.slice(next[2]), []);
        assert.equal(await restarts(device), before + 1);
        assert.doesNotMatch(String(field(await device.get('/device/health'), 'problems')), /PAC/);
        await show('http://broken.proxied.example/');
        await waitForProblem(device, /PAC script.*not for this host, line 4/);
        // The script answers for the others.
        const then = proxy.requests.length;
        await show('http://b.proxied.example/');
        await proxy.waitForRequest('http://b.proxied.example/', then, SHOW_MS);
        await show(`${site.origin}/start`);
        await site.waitForRequest('/start', from, SHOW_MS);
      });

      await test('the inspector is reachable over the cable only, not by the page and not from other networks', async () => {
        await waitForHostAddress(device);
        const at = (host: string) => ({ method: 'GET', url: `http://${host}:9222/` });
        // The page is listed a moment after it was shown.
        await waitFor(
          async () => {
            const [own] = await guestHttp(device, { netns: 'host' }, [at('10.55.77.1')], ANSWER_MS);
            return own?.status === 200 && /Inspectable targets.*\/start/s.test(own.bytes.toString());
          },
          { timeoutMs: SHOW_MS, what: 'the inspector with the page' },
        );
        const addresses = ['127.0.0.1', '10.55.77.1', CABLE.device, '10.0.2.15'];
        const kiosk = await guestHttp(device, { user: 'kiosk' }, addresses.map(at), TRY_MS);
        assert.deepEqual(
          kiosk.map(({ failure }) => failure),
          addresses.map(() => 'ECONNREFUSED'),
        );
        await device.shell.ok(`ip netns add foreign
          ip link add usb0 type veth peer name far0 netns foreign
          ip addr add 192.0.2.1/24 dev usb0; ip link set usb0 up
          ip -n foreign addr add 192.0.2.2/24 dev far0; ip -n foreign link set far0 up
          ip -n foreign route add default via 192.0.2.1`);
        try {
          const far = ['192.0.2.1', '10.55.77.1', CABLE.device].map(at);
          for (const { failure } of await guestHttp(device, { netns: 'foreign' }, far, TRY_MS)) {
            assert.match(failure ?? 'an answer', NO_ANSWER);
          }
        } finally {
          await device.shell.run('ip link del usb0; ip netns del foreign');
        }
      });

      await test('a page that uses more memory than it may is ended, and that is reported', async () => {
        site.documents.set('/hungry', HUNGRY);
        await show(`${site.origin}/hungry`);
        await device.waitForDisplay(
          (display) => field(display, 'error.code') === 'page_out_of_memory',
          'the page to be ended',
          SHOW_MS,
        );
        await device.shell.ok('journalctl --boot --grep "below the kill thres.*400 MB"');
        await device.showWaiting();
      });

      await test('pages are shown with a PAC script that cannot be fetched, and the inspector is closed again', async () => {
        const before = await configure(device, {
          browser: { memory_limit_mb: null, remote_debugging: null },
          proxy: { pac_url: `${site.origin}/hanging-pac` },
        });
        await waitFor(async () => (await restarts(device)) > before, {
          timeoutMs: SHOW_MS,
          what: 'the restart of the browser',
        });
        const from = site.requests.length;
        await show(`${site.origin}/start`);
        await site.waitForRequest('/fetched', from, SHOW_MS);
        assert.ok(site.requests.some(({ url }) => url === '/hanging-pac'));
        await waitForProblem(device, /PAC script.*cannot be fetched/);
        assert.equal((await device.shell.run('ss -ltn | grep :9222')).code, 1);
      });

      await test('with a damaged profile on a full disk pages are shown, and what is damaged is replaced', async () => {
        await configure(device, { proxy: null });
        const from = site.requests.length;
        await device.shell.ok(`systemctl stop vitrine-kiosk
          cd /data/kiosk
          find . -type f -size -64k -name '*.sqlite*' -exec sh -c 'head -c 3000 /dev/urandom >"$1"' _ {} ';'
          rm -rf cookies.sqlite* mediakeys
          mkdir -p cookies.sqlite/deep; echo x >mediakeys; ln -s /nowhere link
          mkdir -p cache; setpriv --reuid kiosk --regid kiosk --clear-groups dd if=/dev/zero of=cache/full bs=1M count=2000 2>/dev/null || true
          systemctl start vitrine-kiosk`);
        await site.waitForRequest('/fetched', from, SHOW_MS);
        const first = await site.waitForRequest('/start', from, SHOW_MS);
        assert.equal(first.headers.cookie, undefined, 'the damaged cookies are gone');
        assert.match(
          await device.shell.ok(
            'stat -c "%F %U" /data/kiosk/cookies.sqlite; ls -d /data/kiosk/link 2>&1; true',
          ),
          /^regular[a-z ]*file kiosk\n.*No such file/,
        );
        const again = site.requests.length;
        await device.shell.ok('rm /data/kiosk/cache/full; systemctl restart vitrine-kiosk');
        await site.waitForRequest('/fetched', again, SHOW_MS);
        const log = await device.shell.ok(
          'journalctl --boot --output cat --grep "cannot be used and is removed"',
        );
        assert.match(log, /cookies\.sqlite in the browser's folder/);
        const third = site.requests.length;
        await device.shell.ok('systemctl restart vitrine-kiosk');
        assert.equal((await site.waitForRequest('/start', third, SHOW_MS)).headers.cookie, 'visited=yes');
      });
    } finally {
      await device.act('PATCH', '/config', { browser: null, proxy: null });
      await device.showWaiting();
      await Promise.all([site, proxy, secure, other, old].map((web) => web.close()));
    }
  },
});
