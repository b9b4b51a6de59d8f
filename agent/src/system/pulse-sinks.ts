import * as Type from 'typebox';
import type { SoundOutput } from '../resources/audio/ports.ts';
import { type Valid, validator } from '../validation/validator.ts';

/** 100 % in the server's units. */
const FULL_VOLUME = 65_536;
const MAX_LABEL = 64;
/** Names of sound cards; the server's null sink, which replaces missing ones, has another. */
export const OF_A_CARD = /^alsa_output\.[\w.:-]+$/;

/** The output of `pactl --format=json list sinks`, as far as it is used. */
export const PulseSinks = validator(
  Type.Array(
    Type.Object({
      name: Type.String(),
      mute: Type.Boolean(),
      volume: Type.Record(Type.String(), Type.Object({ value: Type.Number() })),
      properties: Type.Record(Type.String(), Type.Unknown()),
      ports: Type.Array(
        Type.Object({ name: Type.String(), type: Type.String(), availability: Type.String() }),
      ),
      active_port: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
);
export type PulseSink = Valid<typeof PulseSinks>[number];

export function outputOf(sink: PulseSink): SoundOutput {
  const { name, mute, volume, ports, active_port } = sink;
  const [first, ...others] = Object.values(volume).map(({ value }) => value);
  const isEven = first !== undefined && others.every((value) => value === first);
  const port = ports.find((one) => one.name === active_port);
  return {
    id: name,
    ...kindAndLabel(sink, port?.type),
    plugged: port?.availability !== 'not available',
    volume: isEven ? Math.round((first / FULL_VOLUME) * 100) : null,
    mute,
  };
}

/** A short name that does not depend on what else is plugged in. */
function kindAndLabel({ properties }: PulseSink, portType = ''): Pick<SoundOutput, 'kind' | 'label'> {
  const text = (key: string) => oneLine(properties[key]);
  const card = text('alsa.card_name');
  const profile = text('device.profile.name');
  if (text('device.bus') === 'usb')
    return { kind: 'usb', label: `USB: ${text('device.product.name') || card || 'sound card'}` };
  if (portType === 'HDMI' || profile.startsWith('hdmi')) {
    // A Raspberry Pi has a card for each socket (vc4-hdmi-0), a PC one with several (hdmi-stereo-extra1).
    const cardNumber = /-hdmi-(\d)$/.exec(card)?.[1];
    const number = cardNumber ? Number(cardNumber) + 1 : Number(/extra(\d)$/.exec(profile)?.[1] ?? 0) + 1;
    return { kind: 'hdmi', label: cardNumber || number > 1 ? `HDMI ${number}` : 'HDMI' };
  }
  if (profile.startsWith('iec958')) return { kind: 'other', label: 'S/PDIF' };
  return { kind: 'other', label: /headphones/i.test(card) ? 'Headphones' : 'Analog' };
}

/** A plugged-in device may report anything as its name. */
function oneLine(value: unknown): string {
  if (typeof value !== 'string') return '';
  const clean = value.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return clean.slice(0, MAX_LABEL).toWellFormed();
}
