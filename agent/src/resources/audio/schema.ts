import { type Static, Type } from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { Nullable } from '../../contract/shared.ts';

const Volume = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: 'Percent; cubic scale: amplitude = (volume/100)³',
});

/** Where sound goes and how loud (interface: Audio). */
export const Audio = Type.Object(
  {
    output: Nullable(Type.String({ description: 'null when there is none to play on now' })),
    outputs: Type.Array(Type.String(), { description: 'Those that can play now' }),
    volume: Volume,
    mute: Type.Boolean(),
  },
  { $id: 'Audio' },
);
export type Audio = Static<typeof Audio>;

const common = { tag: 'Audio', status: 200 } as const;

export const getAudio = endpoint({
  method: 'GET',
  path: '/audio',
  ...common,
  summary: 'Output, volume and mute',
  description:
    '`output` is one of `outputs`, or null while there is none, for example without a screen on HDMI.',
  response: Audio,
  errors: ['unavailable'],
});

export const setAudio = endpoint({
  method: 'POST',
  path: '/audio',
  ...common,
  summary: 'Set volume and mute',
  description: 'What is left out stays as it is. Kept as `audio.volume` and `audio.mute`.',
  body: Type.Object(
    { volume: Type.Optional(Volume), mute: Type.Optional(Type.Boolean()) },
    { additionalProperties: false, minProperties: 1 },
  ),
  response: Audio,
  errors: ['unavailable', 'insufficient_storage'],
});
