import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';
import { shellQuote } from '../../ci/qemu/shell.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import { scenario } from '../harness/suite.ts';

const LAN = new URL('../harness/lan.ts', import.meta.url);
const SERVER = '192.0.2.2';
const WAIT_MS = 60_000;
/** The product's settings of Ethernet, for an interface that the test can make. */
const NETWORK = `sed 's/^Kind=.*//; s/^Name=.*/Name=lan0/' /usr/lib/systemd/network/60-vitrine-ethernet.network \
  >/run/systemd/network/59-test.network`;
const DHCP = `start 192.0.2.50
end 192.0.2.60
interface far0
lease_file /run/lan.leases
opt subnet 255.255.255.0
opt dns ${SERVER}
opt domain lab.test
`;

/** Asks the network for the address of a name, and prints who answers. */
const QUERY = `
const [name, from] = process.argv.slice(1);
const labels = name.split('.').map((part) => [part.length, ...Buffer.from(part)]).flat();
const query = Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, 1, 0, 1]);
const end = (text) => { console.log(text); process.exit(); };
const socket = require('dgram').createSocket({ type: 'udp4', reuseAddr: true });
socket.on('message', (message, { address }) => { if (message[2] & 0x80) end(address); });
socket.bind(5353, () => {
  socket.addMembership('224.0.0.251', from);
  socket.setMulticastInterface(from);
  socket.setMulticastTTL(255);
  socket.send(query, 5353, '224.0.0.251');
});
setTimeout(end, 3000, 'no answer');
`;

export default scenario({
  title:
    'names of the network: without a dot by its domain, and NAME.local by multicast; the device does not answer there',
  needs: 'system',
  machine: 'shared',
  run: async ({ device, pages, test }) => {
    const { code } = await transform(await readFile(LAN, 'utf8'), { loader: 'ts' });
    const program = pages.add(code);
    const download = `fetch('${program}').then((r) => r.text()).then((text) => fs.writeFileSync('/run/lan.mjs', text))`;
    const inside = (unit: string, command: string) =>
      `systemd-run --quiet --collect --unit=${unit} ip netns exec lan ${command}`;
    try {
      await device.shell.ok(`node -e ${shellQuote(download)}
        printf '%s' ${shellQuote(DHCP)} >/run/lan.conf; : >/run/lan.leases
        mkdir -p /run/systemd/network; ${NETWORK}
        ip netns add lan
        ip link add lan0 type veth peer name far0 netns lan
        ip -n lan addr add ${SERVER}/24 dev far0; ip -n lan link set far0 up
        ip -n lan route add default dev far0
        ${inside('lan-names', `node /run/lan.mjs ${SERVER}`)}
        ${inside('lan-dhcp', 'busybox udhcpd -f /run/lan.conf')}
        networkctl reload; ip link set lan0 up`);
      await waitFor(async () => (await device.shell.ok('resolvectl domain lan0')).includes('lab.test'), {
        timeoutMs: WAIT_MS,
        what: 'the domain of the network',
      });

      for (const name of ['printer', 'printer.lab.test', 'speaker.local']) {
        await test(`a page is shown from http://${name}/`, async () => {
          await device.act('POST', '/display/navigate', { url: `http://${name}/` });
          const state = await device.waitForDisplay((now) => field(now, 'loading') === false, name, WAIT_MS);
          assert.equal(field(state, 'error'), null);
          assert.equal(await device.runScript('document.title'), name);
        });
      }

      await test('the device does not answer to its own name there', async () => {
        const ask = `ip netns exec lan node -e ${shellQuote(QUERY)} $(hostname).local ${SERVER}`;
        assert.equal(await device.shell.ok(ask), 'no answer');
      });
    } finally {
      await device.shell.run(`systemctl stop lan-names lan-dhcp; ip link del lan0; ip netns del lan
        rm -f /run/systemd/network/59-test.network /run/lan.*; networkctl reload`);
      await device.showWaiting();
    }
  },
});
