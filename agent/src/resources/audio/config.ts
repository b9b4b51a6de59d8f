/** Configuration group `audio`. */
import * as Type from 'typebox';
import { label } from '../config/field-types.ts';
import { live } from '../config/fields.ts';
import { configGroup } from '../config/group.ts';

export const audioConfig = configGroup('audio', 'AudioConfig', {
  output: live.maybe(Type.String(label(128)), {
    description:
      'One of `outputs` of `GET /audio`; null: a USB device first, because somebody plugged it in for that purpose, then ' +
      'HDMI, then the others. One that does not exist now is replaced in the same way until it is back, and `problems` of ' +
      'health says so. Streams that are playing move to the new output',
  }),
  volume: live.int(80, 0, 100, { description: 'Percent; cubic scale: amplitude = (volume/100)³' }),
  mute: live.bool(false),
});
