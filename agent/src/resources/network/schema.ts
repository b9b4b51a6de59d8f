import type { Static } from 'typebox';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { topic } from '../../contract/topics.ts';

/** Hostname and addresses. Loopback is left out; IPv6 addresses carry no zone. */
export const Network = Type.Object(
  {
    hostname: Type.String(),
    interfaces: Type.Array(
      Type.Object({
        name: Type.String(),
        addresses: Type.Array(Type.String({ description: 'IPv4 or IPv6 text' })),
      }),
    ),
  },
  { $id: 'Network' },
);
export type Network = Static<typeof Network>;

export const networkChanged = topic(
  'network_changed',
  Network,
  'Any change of hostname, interfaces or addresses; always the complete state',
  { isState: true },
);

export const getNetwork = endpoint({
  method: 'GET',
  path: '/network',
  tag: 'Device',
  summary: 'Hostname, interfaces and addresses',
  description: 'Loopback is left out; IPv6 addresses carry no zone. `network_changed` reports changes.',
  status: 200,
  response: Network,
  errors: [],
});
