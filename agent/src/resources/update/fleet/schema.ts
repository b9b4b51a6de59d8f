import type { Static } from 'typebox';
import * as Type from 'typebox';
import { Nullable, Timestamp } from '../../../contract/shared.ts';

const FleetAction = Type.Object(
  {
    id: Type.String({ description: "The server's id of the update" }),
    version: Type.String({ description: 'As the server names it' }),
    phase: Type.Enum(['waiting', 'installing', 'installed', 'applying', 'reporting'], {
      description:
        'waiting: for the server to allow the download, or for another attempt. installed: in the other slot, until the server allows the reboot. reporting: ended, and the server does not know yet',
    }),
    progress: Type.Number({ minimum: 0, maximum: 1, description: 'Of the installation' }),
  },
  { $id: 'HawkbitAction' },
);

/** The fleet client in `GET /update`. */
export const FleetStatus = Type.Object(
  {
    enabled: Type.Boolean({ description: 'A server is configured' }),
    connected: Type.Boolean({ description: 'The last request to the server succeeded' }),
    last_poll_ts: Nullable(Timestamp),
    next_poll_ts: Nullable(Timestamp),
    error: Nullable(
      Type.Object({
        code: Type.Enum([
          'network',
          'unauthorized',
          'refused',
          'server_error',
          'invalid_answer',
          'install',
          'storage',
        ]),
        message: Type.String(),
      }),
    ),
    action: Nullable(FleetAction),
  },
  { $id: 'HawkbitStatus', description: 'Updates from a hawkBit server' },
);
export type FleetStatus = Static<typeof FleetStatus>;
