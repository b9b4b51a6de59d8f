/** Configuration group `audio` (interface: Configuration). */
import { Type } from 'typebox';
import { label } from '../config/field-types.ts';
import { live } from '../config/fields.ts';
import { configGroup } from '../config/group.ts';

export const audioConfig = configGroup('audio', 'AudioConfig', {
  output: live.maybe(Type.String(label(128)), {
    description: 'One of `GET /audio` `outputs`; null: automatic',
  }),
  volume: live.int(80, 0, 100, { description: 'Percent; cubic scale: amplitude = (volume/100)³' }),
  mute: live.bool(false),
});
