/** Configuration group `bluetooth`. */
import * as Type from 'typebox';
import { label } from '../config/field-types.ts';
import { live } from '../config/fields.ts';
import { configGroup } from '../config/group.ts';

export const bluetoothConfig = configGroup('bluetooth', 'BluetoothConfig', {
  enabled: live.bool(false),
  name: live.maybe(Type.String(label(62)), { description: 'Adapter alias; null: `device.name`' }),
  discoverable: live.bool(false),
});
