import type { Static } from 'typebox';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { Nullable } from '../../contract/shared.ts';

const Volume = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: 'Percent; cubic scale: amplitude = (volume/100)³, so 50 is −18 dB and 10 is −60 dB',
});

/** Where sound goes and how loud. */
export const Audio = Type.Object(
  {
    output: Nullable(Type.String({ description: 'null when there is none to play on now' })),
    outputs: Type.Array(Type.String(), {
      description:
        'Those that the sound server has now: `HDMI` (`HDMI 1`, `HDMI 2` with two sockets), `Headphones`, `Analog`, ' +
        '`S/PDIF`, and `USB: ` with the name that the device reports, at most 64 characters; a number follows the second of ' +
        'the same name',
    }),
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
    '`output` is the one of `outputs` that is used, or null while there is none; an HDMI output without a screen is used ' +
    'last. The volume is that of the output in the sound server, which uses the mixer of the card where there is one and ' +
    'computes the rest, so it works on HDMI, too. A new output is silent until its volume is set; a volume that another ' +
    'program sets is set back. 503 `unavailable` without a sound card, and while the sound server does not answer, for ' +
    'some seconds after the start.',
  response: Audio,
  errors: ['unavailable'],
});

export const setAudio = endpoint({
  method: 'POST',
  path: '/audio',
  ...common,
  summary: 'Set volume and mute',
  description:
    'Omitted fields are unchanged. Stored as `audio.volume` and `audio.mute`; nothing is stored when it answers 503.',
  body: Type.Object(
    { volume: Type.Optional(Volume), mute: Type.Optional(Type.Boolean()) },
    { additionalProperties: false, minProperties: 1 },
  ),
  response: Audio,
  errors: ['unavailable', 'insufficient_storage'],
});
