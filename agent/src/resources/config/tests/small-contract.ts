/** A small configuration with every kind of field, for tests: `resources/all.ts` takes long to load. */
import * as Type from 'typebox';
import { atBoot, live, section } from '../fields.ts';
import { configGroup } from '../group.ts';
import { configContract } from '../schema.ts';

export const sound = configGroup(
  'sound',
  'Sound',
  {
    volume: live.int(80, 0, 100),
    mute: live.bool(false),
    tone: section('Tone', { bass: live.int(0, -9, 9), mode: atBoot.choice('a', ['a', 'b']) }),
    output: atBoot.text('hdmi', { maxLength: 10 }),
  },
  {
    rules: ({ volume, output }, { dualBandRadio }) => {
      if (output !== 'radio') return [];
      if (!dualBandRadio) return [{ path: '/output', message: 'needs a dual-band radio' }];
      if (volume <= 50) return [];
      return [{ path: '/volume', message: 'must be at most 50 for the radio', reset: '/output' }];
    },
  },
);

export const light = configGroup('light', 'Light', {
  on: live.bool(false),
  color: live.maybe(Type.String({ minLength: 1 })),
  lamps: Type.Record(
    Type.String(),
    section('Lamp', { level: live.maybe(Type.Integer()), name: atBoot.text('lamp') }),
    { maxProperties: 300, propertyNames: { maxLength: 8 }, default: {} },
  ),
  scenes: live.list(
    section('Scene', {
      name: Type.String(),
      level: Type.Integer({ default: 5 }),
      note: Type.Optional(Type.String()),
    }),
    3,
  ),
});

export const contract = configContract([sound, light]);
