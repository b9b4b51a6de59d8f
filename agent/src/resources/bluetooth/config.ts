/** Configuration group `bluetooth`. */
import * as Type from 'typebox';
import { label } from '../config/field-types.ts';
import { live } from '../config/fields.ts';
import { configGroup } from '../config/group.ts';

export const bluetoothConfig = configGroup('bluetooth', 'BluetoothConfig', {
  enabled: live.bool(false, { description: 'Runs the Bluetooth service and switches the adapter on' }),
  name: live.maybe(Type.String(label(62)), { description: 'Adapter alias; null: `device.name`' }),
  discoverable: live.bool(false, {
    description:
      'Other devices can find the adapter and pair with it. They may not connect an input profile: only devices that ' +
      '`POST /bluetooth/pair` names can type',
  }),
});
