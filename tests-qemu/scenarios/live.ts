import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { http } from '../../client/http.ts';
import { field } from '../../testing/field.ts';
import { matchingState } from '../../testing/matching-state.ts';
import { waitFor } from '../../testing/wait.ts';
import { CABLE, waitForHostAddress } from '../harness/cable.ts';
import { REPORT_ZONE, ZONE } from '../harness/pages.ts';
import { scenario } from '../harness/suite.ts';

const TIMESYNC = 'org.freedesktop.timesync1 /org/freedesktop/timesync1 org.freedesktop.timesync1.Manager';

/** Whether any interface of a Network resource has this address. */
function hasAddress(network: unknown, address: string): boolean {
  const interfaces = field(network, 'interfaces');
  return (
    Array.isArray(interfaces) &&
    interfaces.some((one: unknown) => {
      const addresses = field(one, 'addresses');
      return Array.isArray(addresses) && addresses.some((text) => String(text).split('/')[0] === address);
    })
  );
}

export default scenario({
  title: 'changes on the device are reported live: network, log, configuration',
  needs: 'system',
  machine: 'shared',
  run: async ({ device, pages, test }) => {
    // Otherwise the end of the boot would change the network during the next tests.
    await test('GET /network lists both cables with their addresses, and the host at the USB cable has its address', async () => {
      await waitFor(
        async () => {
          const now = await device.get('/network');
          return hasAddress(now, '10.0.2.15') && hasAddress(now, CABLE.device);
        },
        { timeoutMs: 120_000, what: 'both addresses' },
      );
      await waitForHostAddress(device);
      const hostname = await device.shell.ok('cat /proc/sys/kernel/hostname');
      assert.equal(field(await device.get('/network'), 'hostname'), hostname);
    });

    await test('network_changed when an address comes and goes, equal to GET /network', async () => {
      const address = '192.0.2.77';
      const socket = await device.events('network_changed');
      try {
        let mark = socket.events.mark;
        await device.shell.ok(`ip addr add ${address}/24 dev cable0`);
        try {
          await socket.events.next('network_changed', mark, (network) => hasAddress(network, address));
          const network = await matchingState(socket.events, 'network_changed', mark, () =>
            device.get('/network'),
          );
          assert.ok(hasAddress(network, address), JSON.stringify(network));
        } finally {
          mark = socket.events.mark;
          await device.shell.run(`ip addr del ${address}/24 dev cable0`);
        }
        await socket.events.next('network_changed', mark, (network) => !hasAddress(network, address));
      } finally {
        await socket.close();
      }
    });

    await test('a line of the log arrives live, and can be read afterwards', async () => {
      const word = `vitrine-test-${randomBytes(6).toString('hex')}`;
      const socket = await device.events('log');
      const serial = await device.serial();
      try {
        await serial.subscribe('log');
        const [onSocket, onSerial] = [socket.events.mark, serial.events.mark];
        await device.shell.ok(`logger -p user.warning -t vitrine-scenario ${word}`);
        const isIt = (record: unknown): boolean => String(field(record, 'message')).includes(word);
        const { payload } = await socket.events.next('log', onSocket, isIt);
        assert.equal(field(payload, 'level'), 'warning');
        assert.equal(field(payload, 'source'), 'vitrine-scenario');
        assert.deepEqual((await serial.events.next('log', onSerial, isIt)).payload, payload);
        const since = new Date(Date.parse(String(field(payload, 'ts'))) - 1).toISOString();
        const records = await device.get(`/device/logs?limit=1000&since=${since}`);
        assert.ok(Array.isArray(records));
        assert.deepEqual(records.find(isIt), payload);
        const cursor = encodeURIComponent(String(field(payload, 'cursor')));
        const after = await device.get(`/device/logs?limit=1000&since=${cursor}`);
        assert.ok(Array.isArray(after) && !after.some(isIt), 'since a cursor is exclusive');
      } finally {
        await serial.close();
        await socket.close();
      }
    });

    await test('ui.enabled false disables / at once, the API keeps working', async () => {
      const page = await http('GET', `${device.origin}/`);
      assert.equal(page.status, 200);
      assert.match(String(page.headers['content-type']), /^text\/html/);
      const answer = await device.act('PATCH', '/config', { ui: { enabled: false } });
      try {
        assert.deepEqual(field(answer, 'applied'), { 'ui.enabled': 'live' });
        assert.equal((await http('GET', `${device.origin}/`)).status, 404);
        assert.equal((await device.http('GET', '/device')).status, 200);
      } finally {
        await device.act('PATCH', '/config', { ui: { enabled: true } });
      }
      assert.equal((await http('GET', `${device.origin}/`)).status, 200);
    });

    await test('device.name is applied live everywhere', async () => {
      const before = field(await device.get('/device'), 'name');
      await device.act('PATCH', '/config', { device: { name: 'Shop window 7' } });
      try {
        assert.equal(field(await device.get('/device'), 'name'), 'Shop window 7');
        const serial = await device.serial();
        await serial.close();
        assert.equal(field(serial.others.since()[0], 'name'), 'Shop window 7');
      } finally {
        await device.act('PATCH', '/config', { device: { name: before } });
      }
    });

    await test('device.timezone is applied live to programs and to the page, which stays displayed', async () => {
      const url = pages.add(REPORT_ZONE);
      await device.act('POST', '/display/navigate', { url });
      const answer = await device.act('PATCH', '/config', { device: { timezone: ZONE.name } });
      try {
        assert.deepEqual(field(answer, 'applied'), { 'device.timezone': 'live' });
        assert.equal(await device.shell.ok('date -d @0 +%H:%M'), ZONE.shell);
        await waitFor(() => pages.requests.includes(ZONE.report), {
          timeoutMs: 300_000,
          what: 'the page to see the time zone',
        });
        const display = await device.get('/display');
        assert.deepEqual([field(display, 'mode'), field(display, 'url')], ['url', url]);
      } finally {
        await device.act('PATCH', '/config', { device: { timezone: null } });
        await device.showWaiting();
      }
    });

    await test('device.ntp_servers is applied live, and again when the time service restarts', async () => {
      const known = (): Promise<string> =>
        device.shell.ok(`busctl get-property ${TIMESYNC} RuntimeNTPServers`);
      const own = await known();
      const answer = await device.act('PATCH', '/config', {
        device: { ntp_servers: ['192.0.2.9', 'time.example'] },
      });
      try {
        assert.deepEqual(field(answer, 'applied'), { 'device.ntp_servers': 'live' });
        assert.equal(await known(), 'as 2 "192.0.2.9" "time.example"');
        await device.shell.ok('systemctl restart systemd-timesyncd');
        await waitFor(async () => (await known()) === 'as 2 "192.0.2.9" "time.example"', {
          timeoutMs: 60_000,
          what: 'the restarted time service to get its servers',
        });
      } finally {
        await device.act('PATCH', '/config', { device: { ntp_servers: null } });
      }
      assert.equal(await known(), own);
    });
  },
});
