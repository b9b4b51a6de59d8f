/**
 * Wi-Fi on a radio: mac80211_hwsim emulates the radios, hostapd and a second wpa_supplicant are the other end (ci/radios/).
 */
import assert from 'node:assert/strict';
import type { AccessPoint, AccessPointOptions } from '../../ci/radios/access-point.ts';
import { IW } from '../../ci/radios/far-radio.ts';
import { DEVICE_INTERFACE, WifiRadios } from '../../ci/radios/wifi-radios.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import { CABLE } from '../harness/cable.ts';
import { fetchingLan, LAN_DOMAIN, LAN_NAMES } from '../harness/lan-server.ts';
import { probe } from '../harness/network-probe.ts';
import { checkGate } from '../harness/radio-gates.ts';
import { scenario } from '../harness/suite.ts';
import { joinByClicking } from '../harness/view-tests.ts';
import {
  assertUnreachable,
  configure,
  HOST,
  held,
  isConnectedTo,
  join,
  WAIT_MS,
  waitForWifi,
} from '../harness/wifi-device.ts';

const LONG_MS = 15 * 60_000;
const COUNTRY = 'DE';
const PASSPHRASE = 'long passphrase';
/** Changes between networks, and how much memory they may cost. */
const CHANGES = 50;
const MAX_GROWTH_MB = 8;
const OWN = { ssid: 'Lobby display', psk: 'own passphrase 77' };
/** Prints what the supplicant has of each configured network. */
const NETWORKS = `for path in $(busctl --list tree fi.w1.wpa_supplicant1 | grep /Networks/); do
  busctl get-property fi.w1.wpa_supplicant1 $path fi.w1.wpa_supplicant1.Network Properties; done`;
/** The first access point of the other end. */
const ROUTER = '192.168.61.1';
const SERVE = `require('net').createServer((c) => c.end()).listen(${HOST.port})`;

export default scenario({
  title:
    'Wi-Fi: gates, secured and open networks, failures with their reasons, an access point that lets nobody in',
  needs: 'machine',
  parts: ['radios'],
  machine: 'shared',
  run: async ({ device, pages, test, longTest }) => {
    await test('without a radio, every endpoint says so', () =>
      checkGate(device, 'wifi', 'wifi_unsupported'));

    const radios = await WifiRadios.plug(device.shell, 3);
    const withPoint = async (
      options: AccessPointOptions,
      work: (point: AccessPoint) => Promise<void>,
    ): Promise<void> => {
      const point = await radios.accessPoint(options);
      try {
        await work(point);
      } finally {
        await radios.release(point);
      }
    };
    try {
      await test('with a radio that is not enabled, every endpoint says so', async () => {
        await checkGate(device, 'wifi', 'wifi_disabled');
        assert.equal(field(await device.get('/device'), 'capabilities.wifi'), true);
        const { status } = await device.http('PATCH', '/config', { json: { wifi: { enabled: true } } });
        assert.equal(status, 400, 'without a country');
        assert.notEqual((await device.shell.run('systemctl is-active wpa_supplicant')).code, 0);
      });

      await test('enabled, the gate is open and the country is the radio’s', async () => {
        const { body } = await device.http('PATCH', '/config', {
          json: { wifi: { enabled: true, country: COUNTRY } },
        });
        assert.deepEqual(field(body, 'applied'), { 'wifi.enabled': 'live', 'wifi.country': 'live' });
        await waitFor(async () => (await device.shell.ok(`${IW} reg get`)).includes(`country ${COUNTRY}`), {
          timeoutMs: WAIT_MS,
          what: 'the country of the radio',
          intervalMs: 500,
        });
        await checkGate(device, 'wifi', undefined);
      });

      await test('a WPA2 network is found and joined, and a page comes through it by the name of its domain', () =>
        withPoint(
          {
            ssid: 'house',
            security: 'wpa2',
            passphrase: PASSPHRASE,
            // Also a route that would take over the host at the cable.
            dhcpOptions: [
              ...[`opt dns ${ROUTER}`, `opt domain ${LAN_DOMAIN}`],
              `opt staticroutes ${HOST.host}/32 ${ROUTER}, 0.0.0.0/0 ${ROUTER}`,
            ],
          },
          async ({ radio, address }) => {
            const { netns } = radio;
            await device.shell.ok(`${await fetchingLan(pages)}
              systemd-run --quiet --collect --unit=wifi-lan ip netns exec ${netns} node /run/lan.mjs ${address}`);
            const web = { protocol: 'tcp', host: address, port: 80 } as const;
            await waitFor(async () => (await probe(device, netns, [web]))[0] === 'open', {
              timeoutMs: WAIT_MS,
              what: 'the servers of the network',
            });
            const found = await device.act('POST', '/wifi/scan');
            assert.ok(Array.isArray(found));
            const seen = found.find((each) => field(each, 'ssid') === 'house');
            assert.equal(field(seen, 'security'), 'wpa2', JSON.stringify(found));
            const status = await join(device, 'house', PASSPHRASE);
            assert.equal(field(status, 'error'), null);
            assert.equal(field(status, 'connection.frequency_mhz'), 2412);
            assert.match(await device.shell.ok(`ip route get ${HOST.host}`), /dev gadget0/);
            const routes = await device.shell.ok('ip route show table 78');
            assert.ok(routes.includes(`default via ${ROUTER} `), routes);
            assert.ok(
              routes.includes(`${HOST.host} via`),
              'the route is not there that is to be without effect',
            );
            for (const name of LAN_NAMES) {
              await device.act('POST', '/display/navigate', { url: `http://${name}/` });
              await device.waitForDisplay((now) => field(now, 'loading') === false, name, WAIT_MS);
              assert.equal(await device.runScript('document.title'), name);
            }
            // As a hostile machine there: everything goes by the device.
            const [own] = (
              await device.shell.ok(`ip -4 -o addr show ${DEVICE_INTERFACE} | awk '{print $4}' | cut -d/ -f1`)
            ).split('\n');
            await device.shell.ok(`ip -n ${netns} route replace default via ${own}`);
            await assertUnreachable(device, netns);
            await device.shell.ok('systemctl stop wifi-lan; rm -f /run/lan.mjs');
          },
        ));

      await test('a wrong passphrase is the answer of `wifi/connect`, within 20 s', () =>
        withPoint({ ssid: 'house', security: 'wpa2', passphrase: PASSPHRASE }, async () => {
          await configure(device, { networks: [{ ssid: 'house', psk: 'something else', priority: 0 }] });
          const started = performance.now();
          const { status, body } = await device.http('POST', '/wifi/connect', { json: { ssid: 'house' } });
          const seconds = (performance.now() - started) / 1000;
          device.say(`${status} after ${seconds.toFixed(1)} s`);
          assert.deepEqual([status, field(body, 'error.code')], [503, 'unavailable'], JSON.stringify(body));
          assert.equal(field(body, 'error.details.reason'), 'wrong_passphrase');
          const { status: unknown } = await device.http('POST', '/wifi/connect', {
            json: { ssid: 'nowhere' },
          });
          assert.equal(unknown, 404);
        }));

      await longTest(
        'a network is found and joined in the web app',
        async () => {
          await configure(device, { networks: [] });
          const ssid = '<i>web</i> & "app"';
          await withPoint({ ssid, security: 'wpa2', passphrase: PASSPHRASE }, () =>
            joinByClicking(device, ssid, PASSPHRASE),
          );
        },
        LONG_MS,
      );

      await test('a station joins the access point and reaches neither the device nor the host on the cable', async () => {
        await device.act('POST', '/wifi/ap', { active: true, ap: { ...OWN, channel: 6 } });
        await waitForWifi(device, (wifi) => field(wifi, 'access_point.channel') === 6, 'the access point');
        const { status } = await device.http('POST', '/wifi/scan');
        assert.equal(status, 409);
        const station = radios.station();
        const { netns } = station.radio;
        try {
          assert.equal(
            await station.join({ ssid: OWN.ssid, passphrase: 'something else' }),
            'wrong passphrase',
          );
          assert.equal(await station.join({ ssid: OWN.ssid, passphrase: OWN.psk }), 'joined');
          const lease = await station.lease();
          assert.ok(lease, 'no address');
          assert.equal(lease.router, undefined);
          const count = (wifi: unknown) => field(wifi, 'access_point.stations') === 1;
          await waitForWifi(device, count, 'the station to be counted');
          // As a hostile station: everything goes by the device, and the host knows the way back.
          await station.routeBy(lease.server);
          await device.shell.ok(`ip -n host route replace ${lease.server.replace(/\d+$/, '0')}/24 via ${CABLE.device}
            systemd-run --quiet --collect --unit=wifi-host ip netns exec host node -e "${SERVE}"`);
          await waitFor(async () => (await probe(device, undefined, [HOST]))[0] === 'open', {
            timeoutMs: WAIT_MS,
            what: 'the host to be reachable from the device',
          });
          await assertUnreachable(device, netns);
        } finally {
          await device.shell.run(`systemctl stop wifi-host; ip -n host route flush proto boot 2>/dev/null`);
          await radios.release(station);
          await device.act('POST', '/wifi/ap', { active: false });
        }
        const state = await waitForWifi(
          device,
          (wifi) => field(wifi, 'access_point') === null,
          'station mode',
        );
        assert.equal(field(state, 'mode'), 'station');
      });

      for (const [title, psk, options] of [
        ['WPA3', PASSPHRASE, { security: 'wpa3', passphrase: PASSPHRASE }],
        ['WPA2 and WPA3', PASSPHRASE, { security: 'mixed', passphrase: PASSPHRASE }],
        ['open', '', { security: 'open' }],
        ['hidden', PASSPHRASE, { security: 'wpa2', passphrase: PASSPHRASE, hidden: true }],
        ['5 GHz', PASSPHRASE, { security: 'wpa2', passphrase: PASSPHRASE, channel: 36 }],
      ] as const) {
        await longTest(
          `a network with ${title} is joined`,
          () =>
            withPoint({ ssid: 'house', ...options }, async () => {
              await join(device, 'house', psk);
            }),
          LONG_MS,
        );
      }

      await longTest(
        'a network that gives this device the address of the host at the cable does not take the host away',
        () =>
          withPoint(
            { ssid: 'house', security: 'wpa2', passphrase: PASSPHRASE, lease: HOST.host },
            async () => {
              const status = await join(device, 'house', PASSPHRASE);
              assert.ok(JSON.stringify(status).includes(`"${HOST.host}"`), JSON.stringify(status));
              const api = { protocol: 'tcp', host: '10.55.77.1', port: 80 } as const;
              await device.shell.ok(
                `systemd-run --quiet --collect --unit=wifi-host ip netns exec host node -e "${SERVE}"`,
              );
              try {
                await waitFor(async () => (await probe(device, undefined, [HOST]))[0] === 'open', {
                  timeoutMs: WAIT_MS,
                  what: 'the host to be reachable from the device',
                });
                assert.deepEqual(await probe(device, 'host', [api]), ['open']);
              } finally {
                await device.shell.run('systemctl stop wifi-host');
              }
            },
          ),
        LONG_MS,
      );

      await longTest(
        'no network, and no DHCP answer, each with its reason',
        async () => {
          await configure(device, { networks: [{ ssid: 'house', psk: PASSPHRASE, priority: 0 }] });
          const reason = async () => {
            const { status, body } = await device.http('POST', '/wifi/connect', { json: { ssid: 'house' } });
            return [status, field(body, 'error.details.reason')];
          };
          assert.deepEqual(await reason(), [503, 'not_found']);
          const silent = { ssid: 'house', security: 'wpa2', passphrase: PASSPHRASE, dhcp: false } as const;
          await withPoint(silent, async () => assert.deepEqual(await reason(), [503, 'no_address']));
        },
        LONG_MS,
      );

      await longTest(
        'the network with the highest priority is joined; without it the next; it comes back',
        () =>
          withPoint({ ssid: 'first', security: 'wpa2', passphrase: PASSPHRASE }, (first) =>
            withPoint({ ssid: 'second', security: 'wpa2', passphrase: PASSPHRASE, channel: 6 }, async () => {
              const psk = PASSPHRASE;
              const networks = [
                { ssid: 'second', psk, priority: 1 },
                { ssid: 'first', psk, priority: 2 },
              ];
              await configure(device, { networks });
              await waitForWifi(device, isConnectedTo('first'), 'the network of highest priority');
              await first.radio.setInRange(false);
              await waitForWifi(device, isConnectedTo('second'), 'the other network');
              await first.radio.setInRange(true);
            }),
          ),
        LONG_MS,
      );

      await longTest(
        'the access point is lost and back; the supplicant is killed; the driver is reloaded',
        () =>
          withPoint({ ssid: 'house', security: 'wpa2', passphrase: PASSPHRASE }, async (point) => {
            const isLost = (wifi: unknown) => field(wifi, 'connection') === null;
            await join(device, 'house', PASSPHRASE);
            await point.stop();
            await waitForWifi(device, isLost, 'the loss to be noticed');
            await point.start();
            await waitForWifi(device, isConnectedTo('house'), 'the network again');
            await device.shell.ok('systemctl kill -s KILL wpa_supplicant');
            await waitForWifi(device, isConnectedTo('house'), 'the network after the supplicant was killed');
            await radios.unload();
            await waitFor(
              async () =>
                field((await device.http('GET', '/wifi')).body, 'error.code') === 'wifi_unsupported',
              { timeoutMs: WAIT_MS, what: 'the radio to be gone' },
            );
            await radios.load();
            await point.start();
            await waitFor(async () => (await device.http('GET', '/wifi')).status === 200, {
              timeoutMs: WAIT_MS,
              what: 'the radio',
            });
            await waitForWifi(device, isConnectedTo('house'), 'the network after the driver was reloaded');
          }),
        LONG_MS,
      );

      await longTest(
        `${CHANGES} changes between two networks leave no memory, files or networks behind`,
        () =>
          withPoint({ ssid: 'house', security: 'wpa2', passphrase: PASSPHRASE }, () =>
            withPoint({ ssid: 'yard', security: 'open', channel: 6 }, async () => {
              await configure(device, {
                networks: [
                  { ssid: 'house', psk: PASSPHRASE, priority: 1 },
                  { ssid: 'yard', psk: '', priority: 0 },
                ],
              });
              const change = async (times: number) => {
                for (let n = 0; n < times; n += 1) {
                  const ssid = n % 2 === 0 ? 'yard' : 'house';
                  const { status, body } = await device.http('POST', '/wifi/connect', { json: { ssid } });
                  // DHCP may be late on a busy computer; then the address comes later.
                  const isLate = field(body, 'error.details.reason') === 'no_address';
                  assert.ok(status === 200 || isLate, JSON.stringify(body));
                  await waitForWifi(device, isConnectedTo(ssid), `the network ${ssid}`);
                }
              };
              await change(CHANGES / 5);
              const before = await held(device);
              await change(CHANGES);
              const after = await held(device);
              const grown = after.megabytes.map(
                (megabytes, index) => megabytes - (before.megabytes[index] ?? 0),
              );
              device.say(`grown by ${grown.map((each) => each.toFixed(1)).join(' and ')} MB`);
              assert.ok(Math.max(...grown) < MAX_GROWTH_MB, JSON.stringify([before, after]));
              assert.ok(after.files <= before.files + 2, JSON.stringify([before, after]));
              assert.deepEqual([before.networks, after.networks], [2, 2]);
            }),
          ),
        2 * LONG_MS,
      );

      await longTest(
        'rfkill of this radio is reported, and over when it is unblocked',
        () =>
          withPoint({ ssid: 'house', security: 'wpa2', passphrase: PASSPHRASE }, async () => {
            await join(device, 'house', PASSPHRASE);
            const block = (value: number) =>
              device.shell.ok(
                `for file in /sys/class/net/${DEVICE_INTERFACE}/phy80211/rfkill*/soft; do echo ${value} >$file; done`,
              );
            await block(1);
            try {
              await waitForWifi(device, (wifi) => field(wifi, 'rfkill_blocked') === true, 'the block');
              assert.equal(field(await device.get('/wifi'), 'connection'), null);
            } finally {
              await block(0);
            }
            await waitForWifi(device, isConnectedTo('house'), 'the network again');
            assert.equal(field(await device.get('/wifi'), 'rfkill_blocked'), false);
          }),
        LONG_MS,
      );

      await longTest(
        'every leaf of the configuration is live, and the radio has its value',
        async () => {
          const info = `${IW} dev ${DEVICE_INTERFACE} info`;
          const station = radios.station();
          const leaves: readonly (readonly [unknown, string | (() => Promise<string>), RegExp])[] = [
            [{ country: 'FR' }, `${IW} reg get`, /country FR/],
            [
              { networks: [{ ssid: 'leaf', psk: PASSPHRASE, priority: 7 }] },
              NETWORKS,
              /leaf.*priority" s "7"/,
            ],
            [{ mode: 'ap', ap: { psk: OWN.psk } }, info, /type AP/],
            [{ ap: { ssid: 'Leaf' } }, info, /ssid Leaf/],
            [{ ap: { channel: 11 } }, info, /channel 11 /],
            [
              { ap: { psk: 'another one' } },
              () => station.join({ ssid: 'Leaf', passphrase: 'another one' }),
              /^joined$/,
            ],
            [{ mode: 'station' }, info, /type managed/],
            [{ country: COUNTRY }, `${IW} reg get`, /country DE/],
          ];
          try {
            for (const [wifi, look, expected] of leaves) {
              const applied = field(await device.act('PATCH', '/config', { wifi }), 'applied');
              assert.ok(typeof applied === 'object' && applied !== null);
              const kinds = new Set(Object.values(applied));
              assert.deepEqual([...kinds], ['live'], JSON.stringify(applied));
              await waitFor(
                async () =>
                  expected.test(
                    typeof look === 'string' ? (await device.shell.run(look)).output : await look(),
                  ),
                { timeoutMs: WAIT_MS, what: `${expected} after ${JSON.stringify(wifi)}`, intervalMs: 500 },
              );
            }
          } finally {
            await radios.release(station);
          }
        },
        LONG_MS,
      );

      await test('passphrases are in the configuration only, not in logs, arguments or other files', async () => {
        await configure(device, { networks: [{ ssid: 'house', psk: PASSPHRASE, priority: 0 }], ap: OWN });
        // The other end has them in /run/radios, and the shell in its own command.
        const places = `grep -rlsF -e '${PASSPHRASE}' -e '${OWN.psk}' /data /etc /run /tmp /var --exclude-dir=radios
          journalctl --no-pager -o cat _SYSTEMD_UNIT=vitrine-agent.service _SYSTEMD_UNIT=wpa_supplicant.service |
            grep -F -e '${PASSPHRASE}' -e '${OWN.psk}'
          for pid in $(pidof wpa_supplicant) $(systemctl show -P MainPID vitrine-agent); do
            tr '\\0' ' ' </proc/$pid/cmdline | grep -F -e '${PASSPHRASE}' -e '${OWN.psk}'
          done; :`;
        const found = (await device.shell.ok(places)).split('\n').filter((line) => line.trim());
        assert.deepEqual(found, ['/data/config.json']);
        assert.equal(await device.shell.ok('stat -c %a /data/config.json'), '600');
      });

      await test('disabled again, the supplicant is gone', async () => {
        await configure(device, null);
        await waitFor(async () => (await device.shell.run('systemctl is-active wpa_supplicant')).code !== 0, {
          timeoutMs: WAIT_MS,
          what: 'the supplicant to end',
        });
        await checkGate(device, 'wifi', 'wifi_disabled');
      });
    } finally {
      await configure(device, null);
      await radios.unplug();
      await device.showWaiting();
    }
  },
});
