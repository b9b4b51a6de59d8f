import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { shellQuote } from '../../ci/qemu/shell.ts';
import type { Device } from './device.ts';

export interface ProbeTarget {
  protocol: 'tcp' | 'udp';
  host: string;
  port: number;
}

/** `open`: connected, or a datagram was answered. `refused`: the machine is reached. `silent`: nothing came back in time. */
export type ProbeResult = 'open' | 'refused' | 'silent';

const Results = Type.Array(
  Type.Union([Type.Literal('open'), Type.Literal('refused'), Type.Literal('silent')]),
);
/** Time limit of each target, in ms; they are probed at the same time. */
const PROBE_MS = 5000;
const COMMAND_MS = 90_000;

/** Runs in the guest's Node. "silent" includes errors like an unreachable network. */
const PROBE = `
const [targets, ms] = JSON.parse(process.argv[1]);
const tcp = ({ host, port }, done) => {
  const socket = require('node:net').connect(port, host);
  socket.on('connect', () => done('open')).on('error', ({ code }) => done(code === 'ECONNREFUSED' ? 'refused' : 'silent'));
};
const udp = ({ host, port }, done) => {
  const socket = require('node:dgram').createSocket('udp4');
  socket.on('message', () => done('open')).on('error', ({ code }) => done(code === 'ECONNREFUSED' ? 'refused' : 'silent'));
  // A query for the address of "a": DNS answers it, and others get something.
  socket.connect(port, host, () => socket.send(Buffer.from('00010100000100000000000001610000010001', 'hex')));
};
const one = (target) => new Promise((done) => {
  setTimeout(done, ms, 'silent');
  (target.protocol === 'tcp' ? tcp : udp)(target, done);
});
Promise.all(targets.map(one)).then((results) => { console.log(JSON.stringify(results)); process.exit(); });`;

/**
 * Tries ports from inside the guest.
 * @param netns network namespace; undefined: the device's own
 */
export async function probe(
  device: Device,
  netns: string | undefined,
  targets: readonly ProbeTarget[],
): Promise<ProbeResult[]> {
  const prefix = netns === undefined ? '' : `ip netns exec ${shellQuote(netns)} `;
  const argument = shellQuote(JSON.stringify([targets, PROBE_MS]));
  const output = await device.shell.ok(`${prefix}node -e ${shellQuote(PROBE)} ${argument}`, COMMAND_MS);
  const results: unknown = JSON.parse(output.slice(output.lastIndexOf('\n') + 1));
  if (!Value.Check(Results, results)) throw new Error(`the probe said ${output.slice(0, 300)}`);
  return results;
}

/** The ports on which programs of the device listen, on whatever address. */
export async function listeningPorts(device: Device): Promise<Omit<ProbeTarget, 'host'>[]> {
  const sockets = await device.shell.ok("ss -Hltun | awk '{print $1, $5}'");
  const found = sockets.split('\n').flatMap((line): [string, Omit<ProbeTarget, 'host'>][] => {
    const [protocol, port] = [line.split(' ')[0], Number(/:(\d+)$/.exec(line)?.[1])];
    return protocol === 'tcp' || protocol === 'udp' ? [[`${protocol} ${port}`, { protocol, port }]] : [];
  });
  return [...new Map(found).values()];
}
