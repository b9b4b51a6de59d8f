/** The state of the radio, for this view. */
import { RequestError } from '../../../../client/client.ts';
import { connection } from '../../app/device-state.ts';
import { Resource } from '../../app/resource.ts';
import type { WifiStatus } from './wifi-words.ts';

export type WifiState =
  /** The device has no radio to manage. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'off' }
  | { readonly kind: 'on'; readonly status: WifiStatus };

export const wifi = new Resource<WifiState>(connection, {
  load: async (client) => {
    try {
      return { kind: 'on', status: await client.get('/wifi') };
    } catch (error) {
      const code = error instanceof RequestError ? error.code : undefined;
      if (code === 'wifi_disabled') return { kind: 'off' };
      if (code === 'wifi_unsupported') return { kind: 'missing' };
      throw error;
    }
  },
  follow: (set) => connection.on('wifi_changed', (status) => set({ kind: 'on', status })),
  // While Wi-Fi is off, it reports nothing.
  refreshOn: ['config_changed'],
});

/** The status while the radio is on. */
export function statusNow(): WifiStatus | undefined {
  const state = wifi.value.value;
  return state?.kind === 'on' ? state.status : undefined;
}
