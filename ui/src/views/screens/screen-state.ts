/** The state of this view: the outputs, and what is set for them. */
import type { ResponseOf } from '../../../../client/contract.ts';
import { connection } from '../../app/device-state.ts';
import { Resource } from '../../app/resource.ts';
import { settingsIn } from './display-settings.ts';

export type Screen = ResponseOf<'GET', '/display/screens'>[number];

export const screens = new Resource(connection, {
  load: (client) => client.get('/display/screens'),
  refreshOn: ['display_state', 'config_changed'],
});

export const settings = new Resource(connection, {
  load: async (client) => settingsIn(await client.get('/config')),
  follow: (set) => connection.on('config_changed', ({ config }) => set(settingsIn(config))),
});

/** The screen that shows the page; undefined if the device has none. */
export function primaryOf(list: readonly Screen[]): Screen | undefined {
  return list.find(({ primary }) => primary);
}
