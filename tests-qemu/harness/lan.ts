/** Runs in the guest, in the network of the scenario `names`: answers DNS and multicast DNS, and serves a page. */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';

const [address = ''] = process.argv.slice(2);
const GROUP = '224.0.0.251';
const MDNS_PORT = 5353;
const TYPE_A = 1;
/** Seconds. */
const LIFE = 60;
const NAMES = { unicast: 'printer.lab.test', multicast: 'speaker.local' };

/** The first question of a message (RFC 1035): its name, and the type that follows it. */
function question(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** The answer to a query; undefined if there is none to give. */
function answer(query: Buffer, kind: keyof typeof NAMES): Buffer | undefined {
  const { name, type, end } = question(query);
  const isKnown = name === NAMES[kind];
  const isMulticast = kind === 'multicast';
  if (isMulticast && (!isKnown || type !== TYPE_A)) return undefined;
  const count = isKnown && type === TYPE_A ? 1 : 0;
  const header = Buffer.alloc(12);
  header.writeUInt16BE(isMulticast ? 0 : query.readUInt16BE(0), 0);
  header.writeUInt16BE(isKnown ? 0x8400 : 0x8403, 2); // an authoritative answer; the name exists or does not
  header.writeUInt16BE(isMulticast ? 0 : 1, 4);
  header.writeUInt16BE(count, 6);
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(TYPE_A, 0);
  fields.writeUInt16BE(isMulticast ? 0x8001 : 1, 2);
  fields.writeUInt32BE(LIFE, 4);
  fields.writeUInt16BE(4, 8);
  const record = [query.subarray(12, end - 4), fields, Buffer.from(address.split('.').map(Number))];
  return Buffer.concat([header, ...(isMulticast ? [] : [query.subarray(12, end)]), ...(count ? record : [])]);
}

const unicast = createSocket('udp4');
unicast.on('message', (query, peer) => {
  const reply = answer(query, 'unicast');
  if (reply) unicast.send(reply, peer.port, peer.address);
});
unicast.bind(53, address);

const multicast = createSocket({ type: 'udp4', reuseAddr: true });
multicast.on('message', (query) => {
  const isResponse = ((query[2] ?? 0) & 0x80) !== 0;
  const reply = isResponse ? undefined : answer(query, 'multicast');
  if (reply) multicast.send(reply, MDNS_PORT, GROUP);
});
multicast.bind(MDNS_PORT, () => {
  multicast.addMembership(GROUP, address);
  multicast.setMulticastInterface(address);
  multicast.setMulticastTTL(255);
});

createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(`<title>${request.headers.host}</title>`);
}).listen(80, address);
