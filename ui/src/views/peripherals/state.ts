/** What is plugged in, as the device has it. */
import { connection } from '../../app/device-state.ts';
import { Resource } from '../../app/resource.ts';
import type { Peripherals } from './devices.ts';

export const peripherals = new Resource<Peripherals>(connection, {
  load: (client) => client.get('/device/peripherals'),
  follow: (set) => connection.on('peripherals_changed', set),
});
