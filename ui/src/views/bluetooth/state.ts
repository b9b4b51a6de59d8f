/** Bluetooth as the device has it. */
import { type Client, RequestError } from '../../../../client/client.ts';
import type { ResponseOf } from '../../../../client/contract.ts';
import { connection } from '../../app/device-state.ts';
import { failureOf } from '../../app/failure.ts';
import { Resource } from '../../app/resource.ts';

export type Adapter = ResponseOf<'GET', '/bluetooth'>;
export type RemoteDevice = ResponseOf<'GET', '/bluetooth/devices'>[number];

/** The adapter with the devices that it knows or has found. */
export interface Working {
  readonly kind: 'working';
  readonly adapter: Adapter;
  readonly devices: readonly RemoteDevice[];
}

export type BluetoothState =
  | { readonly kind: 'unsupported' | 'disabled' }
  /** It starts, or it does not work. */
  | { readonly kind: 'unavailable'; readonly reason: string | undefined }
  | Working;

export const bluetooth = new Resource<BluetoothState>(connection, {
  load,
  follow: (set) =>
    connection.on('bluetooth_changed', ({ adapter, devices }) => set({ kind: 'working', adapter, devices })),
  refreshOn: ['config_changed'],
});

/** Undefined while Bluetooth is off or does not work. */
export function working(): Working | undefined {
  const state = bluetooth.value.value;
  return state?.kind === 'working' ? state : undefined;
}

async function load(client: Client): Promise<BluetoothState> {
  try {
    const adapter = await client.get('/bluetooth');
    // An adapter that is off does not list its devices.
    const devices = adapter.powered ? await client.get('/bluetooth/devices') : [];
    return { kind: 'working', adapter, devices };
  } catch (error) {
    const state = error instanceof RequestError ? stateOf(error) : undefined;
    if (state) return state;
    throw error;
  }
}

/** The state that a refused request tells of. */
function stateOf(error: RequestError): BluetoothState | undefined {
  switch (error.code) {
    case 'bluetooth_unsupported':
      return { kind: 'unsupported' };
    case 'bluetooth_disabled':
      return { kind: 'disabled' };
    case 'unavailable':
      return { kind: 'unavailable', reason: failureOf(error).detail };
    default:
      return undefined;
  }
}
