import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { openSocket } from '../../client/http.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import { CONTENT_PORT } from '../harness/bundles.ts';
import { CABLE, waitForHostAddress } from '../harness/cable.ts';
import { browserProcess, type GuestRequest, guestHttp } from '../harness/guest.ts';
import { type ScenarioContext, scenario } from '../harness/suite.ts';

/** Every address of the device on which a program inside could try the API. */
const OWN_ADDRESSES = ['127.0.0.1', '[::1]', '10.55.77.1', CABLE.device, '10.0.2.15'];
const AS_KIOSK = 'setpriv --reuid kiosk --regid kiosk --init-groups --';
const NO_ANSWER = /^(?:timeout|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|EACCES|EPERM)$/;
/** Time limit for requests whose packets may be dropped, in ms. */
const TRY_MS = 4000;
/** Time limit for requests that must be answered or refused even on a busy computer, in ms. */
const ANSWER_MS = 60_000;

function contentAt(host: string): GuestRequest {
  return { method: 'GET', url: `http://${host}:${CONTENT_PORT}/` };
}

function deviceAt(host: string): GuestRequest {
  return { method: 'GET', url: `http://${host}/api/v1/device` };
}

/**
 * Runs `work` with a second network that is not a cable: a pair of interfaces, one of them in its own namespace. The
 * device's one has the name that the kernel gives to an adapter at a USB host port.
 */
async function withForeignNetwork({ device }: ScenarioContext, work: () => Promise<void>): Promise<void> {
  await device.shell.ok(`
    ip netns add foreign
    ip link add usb0 type veth peer name far0
    ip link set far0 netns foreign
    ip addr add 192.0.2.1/24 dev usb0
    ip link set usb0 up
    ip -n foreign addr add 192.0.2.2/24 dev far0
    ip -n foreign link set far0 up
    ip -n foreign route add default via 192.0.2.1`);
  try {
    await work();
  } finally {
    await device.shell.run('ip link del usb0; ip netns del foreign');
  }
}

/** Requests with the headers that a browser sends for requests of another site, by name of the case. */
const FOREIGN: [string, string, string, Record<string, string>, unknown?][] = [
  ['a name that an attacker’s DNS points here', 'GET', '/device', { host: 'evil.example' }],
  ['a request that another site started', 'GET', '/device', { 'sec-fetch-site': 'cross-site' }],
  ['a reboot by another site’s form', 'POST', '/device/reboot', { origin: 'http://evil.example' }],
  ['a reboot from a sandboxed frame', 'POST', '/device/reboot', { origin: 'null' }],
  [
    'a PATCH by another site’s script',
    'PATCH',
    '/config',
    { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
    { ui: { enabled: false } },
  ],
];

export default scenario({
  title:
    'the displayed page and other networks cannot reach management ports; requests of other sites are rejected',
  needs: 'system',
  machine: 'shared',
  run: async (context) => {
    const { device, pages, test } = context;

    await test('root inside the device reaches the API on its own addresses', async () => {
      const answers = await guestHttp(device, {}, OWN_ADDRESSES.slice(0, 2).map(deviceAt), ANSWER_MS);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      );
    });

    await test('the kiosk user cannot reach the API on any address', async () => {
      const answers = await guestHttp(device, { user: 'kiosk' }, OWN_ADDRESSES.map(deviceAt), TRY_MS);
      for (const [i, { failure = 'an answer' }] of answers.entries()) {
        assert.match(failure, NO_ANSWER, OWN_ADDRESSES[i]);
      }
    });

    await test('only the kiosk user and root can reach the port of the content bundle, and only on the loopback', async () => {
      const loopback = OWN_ADDRESSES.slice(0, 2).map(contentAt);
      for (const who of [{}, { user: 'kiosk' }]) {
        // 421, because the address is not the host name of the displayed bundle.
        const answers = await guestHttp(device, who, loopback, ANSWER_MS);
        assert.deepEqual(
          answers.map(({ status }) => status),
          [421, 421],
        );
      }
      const others = await guestHttp(device, { user: 'daemon' }, loopback, ANSWER_MS);
      const outside = await guestHttp(device, {}, OWN_ADDRESSES.slice(2).map(contentAt), ANSWER_MS);
      assert.deepEqual(
        [...others, ...outside].map(({ failure }) => failure),
        Array(OWN_ADDRESSES.length).fill('ECONNREFUSED'),
      );
    });

    await test('the kiosk user cannot manage anything over the system bus', async () => {
      for (const call of [
        'de.pengutronix.rauc / de.pengutronix.rauc.Installer Mark ss bad other',
        'org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager Reboot b false',
        'org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager Reboot',
      ]) {
        const { code, output } = await device.shell.run(`${AS_KIOSK} busctl --system call ${call}`);
        assert.notEqual(code, 0, call);
        assert.match(output, /denied/i, call);
      }
    });

    await test('the kiosk user cannot write files that root reads or executes', async () => {
      const places = '/run/vitrine /run/vitrine/kiosk.env /data /data/state /etc /usr /run/systemd';
      const { output } = await device.shell.run(
        `for place in ${places}; do ${AS_KIOSK} test ! -w $place || echo $place; done`,
      );
      assert.equal(output.trim(), '');
      await device.shell.ok('test -s /run/vitrine/kiosk.env');
    });

    await test('no program is setuid or setgid, and nobody can log in', async () => {
      const found = await device.shell.ok("find / -xdev -type f '(' -perm /6000 -o -path /etc/shadow ')'");
      // /etc/shadow must be found: this proves that the search works.
      assert.equal(found.trim(), '/etc/shadow');
      const units = await device.shell.run(
        "systemctl list-units --all --plain --no-legend '*getty*.service' 'autovt@*' 'ssh*' 'debug-shell*' | grep -w active",
      );
      assert.equal(units.output.trim(), '');
      const unlocked = await device.shell.run("getent passwd | cut -d: -f1,2 | grep -v -e ':x$' -e ':[*!]'");
      assert.equal(unlocked.output.trim(), '');
      const shadow = await device.shell.run("cut -d: -f1,2 /etc/shadow | grep -v ':[*!]'");
      assert.equal(shadow.output.trim(), '');
      // The files exist and are not empty, so the empty lists above are meaningful.
      await device.shell.ok('test -s /etc/shadow -a -s /etc/passwd');
    });

    await test('the kiosk user can reach remote pages', async () => {
      const url = pages.add('ok');
      const [answer] = await guestHttp(device, { user: 'kiosk' }, [{ method: 'GET', url }], ANSWER_MS);
      assert.equal(answer?.status, 200, answer?.failure);
    });

    await test('the kiosk user can reach services of the cable’s host only when that is configured', async () => {
      await waitForHostAddress(device);
      const server = "require('http').createServer((_, answer) => answer.end('host')).listen(8000)";
      await device.shell.ok(
        `systemd-run -q --collect --unit=test-host-server -p NetworkNamespacePath=/run/netns/host /usr/bin/node -e "${server}"`,
      );
      try {
        // Its own address, and the one that stands for every host.
        const services = [CABLE.host, '10.55.77.2'].map((host) => ({
          method: 'GET',
          url: `http://${host}:8000/`,
        }));
        const kiosk = async () => {
          const answers = await guestHttp(device, { user: 'kiosk' }, services, ANSWER_MS);
          return answers.map((answer) => answer.failure ?? answer.status);
        };
        const configure = async (value: boolean | null) => {
          const changed = await device.act('PATCH', '/config', { browser: { allow_host_services: value } });
          assert.deepEqual(field(changed, 'applied'), { 'browser.allow_host_services': 'live' });
        };
        await waitFor(
          async () => (await guestHttp(device, {}, services)).every(({ status }) => status === 200),
          {
            timeoutMs: 120_000,
            what: 'root to reach the host’s service at both addresses',
          },
        );
        assert.deepEqual(await kiosk(), ['ECONNREFUSED', 'ECONNREFUSED']);
        await device.act('POST', '/display/navigate', { url: services[1]?.url });
        const refused = await device.waitForDisplay(
          (now) => field(now, 'error') !== null,
          'the page to be refused',
        );
        assert.match(String(field(refused, 'error.message')), /browser\.allow_host_services/);
        await configure(true);
        assert.deepEqual(await kiosk(), [200, 200]);
        await configure(null);
        assert.deepEqual(await kiosk(), ['ECONNREFUSED', 'ECONNREFUSED']);
      } finally {
        await device.shell.run('systemctl stop test-host-server');
      }
    });

    await test('a displayed page gets no response from the API and changes nothing', async () => {
      const targets = JSON.stringify(OWN_ADDRESSES.map((host) => `http://${host}/api/v1/`));
      const url = pages.add(`<!doctype html><title>hostile</title><script>
        const targets = ${targets};
        const tries = targets.flatMap((base) => [
          fetch(base + 'device').then(() => 'read'),
          fetch(base + 'device', { mode: 'no-cors' }).then(() => 'sent'),
          fetch(base + 'device/reboot', { mode: 'no-cors', method: 'POST' }).then(() => 'sent'),
          new Promise((resolve, reject) => {
            const socket = new WebSocket(base.replace('http', 'ws') + 'events');
            socket.onopen = () => resolve('socket');
            socket.onerror = reject;
          }),
        ]);
        Promise.allSettled(tries).then((all) =>
          fetch('/report?' + all.filter((one) => one.status === 'fulfilled').map((one) => one.value).join('-') + '.'));
      </script>`);
      const boot = await device.bootId();
      await device.act('POST', '/display/navigate', { url });
      const report = await waitFor(() => pages.requests.find((path) => path.startsWith('/report')), {
        timeoutMs: 300_000,
        what: 'the hostile page to have tried everything',
      });
      assert.equal(report, '/report?.');
      assert.equal(await device.bootId(), boot);
      await device.showWaiting();
    });

    await test('a displayed page that requests the splash image in a loop is rate-limited', async () => {
      const url = pages.add(`<!doctype html><title>flood</title><script>
        const began = performance.now();
        let [asked, loaded, ended] = [0, 0, 0];
        const done = () => {
          ended += 1;
          if (ended === 300) fetch('/flooded-' + loaded + '-' + Math.round(performance.now() - began));
          next();
        };
        const next = () => {
          if (++asked > 300) return;
          const image = new Image();
          image.onload = () => { loaded += 1; done(); };
          image.onerror = () => setTimeout(done, 0);
          image.src = 'vitrine://files/splash?' + asked;
        };
        for (let i = 0; i < 20; i += 1) next();
      </script>`);
      await device.act('POST', '/display/navigate', { url });
      const report = await waitFor(() => pages.requests.find((path) => path.startsWith('/flooded-')), {
        timeoutMs: 120_000,
        what: 'the page to have sent its requests',
      });
      const [, loaded = 0, tookMs = 0] = report.split('-').map(Number);
      assert.ok(loaded > 0 && loaded <= 17 + tookMs / 1000, report);
      await device.showWaiting();
    });

    await test('a displayed page cannot save files by download links', async () => {
      const mark = randomUUID();
      // The text is not in the source of the page itself, which may be cached.
      const url = pages.add(`<!doctype html><title>saves</title><script>
        const text = ${JSON.stringify(mark.split('-'))}.join('-');
        const save = (href) => Object.assign(document.createElement('a'), { href, download: 'saved.txt' }).click();
        save(URL.createObjectURL(new Blob([text])));
        save('data:application/octet-stream,' + text);
        setTimeout(() => fetch('/saved'), 3000);
      </script>`);
      const before = await browserProcess(device);
      await device.act('POST', '/display/navigate', { url });
      await waitFor(() => pages.requests.includes('/saved'), {
        timeoutMs: 300_000,
        what: 'the page to have saved its files',
      });
      const places = '/data/kiosk /var/lib/kiosk /tmp /var/tmp /run/user /dev/shm';
      assert.equal((await device.shell.run(`grep -rlsF ${mark} ${places}`)).output.trim(), '');
      assert.deepEqual(await browserProcess(device), before);
      await device.showWaiting();
    });

    await test('another network, on an interface named like a USB adapter, gets no response on any address of the device', async () => {
      await withForeignNetwork(context, async () => {
        const hosts = ['192.0.2.1', '10.55.77.1', CABLE.device, '10.0.2.15'];
        const answers = await guestHttp(device, { netns: 'foreign' }, hosts.map(deviceAt), TRY_MS);
        for (const [i, { failure = 'an answer' }] of answers.entries())
          assert.match(failure, /^(?:timeout|ECONNREFUSED)$/, hosts[i]);
        // The connection itself works: the neighbour was found.
        assert.match(await device.shell.ok('ip -n foreign neigh show 192.0.2.1'), /lladdr/);
      });
    });

    for (const [name, method, path, headers, json] of FOREIGN) {
      await test(`rejected: ${name}`, async () => {
        const boot = await device.bootId();
        const options = json === undefined ? { headers } : { headers, json };
        const { status, bytes } = await device.http(method, path, options);
        assert.ok(status === 403 || status === 421 || status === 400, `${status} ${bytes.toString()}`);
        assert.match(bytes.toString(), /^\{"error":\{"code":"/);
        assert.equal(await device.bootId(), boot);
      });
    }

    await test('rejected: a WebSocket of another site', async () => {
      const url = `${device.api.replace('http', 'ws')}/events`;
      await assert.rejects(openSocket(url, { origin: 'http://evil.example' }), /40[0-9]|421/);
    });

    await test('a JSON body with another content type is rejected, and responses have no CORS headers', async () => {
      const plain = await device.http('PATCH', '/config', {
        raw: '{"ui":{"enabled":false}}',
        headers: { 'content-type': 'text/plain' },
      });
      assert.equal(plain.status, 415);
      const { headers } = await device.http('GET', '/device', { headers: { origin: device.origin } });
      const cors = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
      assert.deepEqual(cors, []);
    });
  },
});
