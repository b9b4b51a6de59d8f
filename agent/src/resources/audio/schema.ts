import { Type } from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { Nullable } from '../../contract/shared.ts';

const Volume = Type.Integer({ minimum: 0, maximum: 100, description: 'Percent' });

/** Where sound goes and how loud (interface: Audio). */
export const Audio = Type.Object(
  {
    output: Nullable(Type.String({ description: 'null when the board has none' })),
    outputs: Type.Array(Type.String()),
    volume: Volume,
    mute: Type.Boolean(),
  },
  { $id: 'Audio' },
);

const common = { tag: 'Audio', status: 200 } as const;

export const getAudio = endpoint({
  method: 'GET',
  path: '/audio',
  ...common,
  summary: 'Output, volume and mute',
  description: '`output` is one of `outputs`, or null on a board that has none.',
  response: Audio,
  errors: ['unavailable', 'not_implemented'],
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
  errors: ['unavailable', 'insufficient_storage', 'not_implemented'],
});
