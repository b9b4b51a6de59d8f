import { Type } from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { Nullable, Timestamp } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';

const UsbId = Type.Integer({ minimum: 0, maximum: 0xffff });

/** A touch panel, mouse or keyboard (interface: Input devices). */
export const InputDevice = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    kind: Type.Enum(['touch', 'pointer', 'keyboard', 'other']),
    vendor_id: Nullable(UsbId),
    product_id: Nullable(UsbId),
    node: Type.String({ description: 'Device node', examples: ['/dev/input/event3'] }),
  },
  { $id: 'InputDevice' },
);

const Fraction = Type.Number({ minimum: 0, maximum: 1, description: 'Of the screen, after rotation' });

export const inputRaw = topic(
  'input_raw',
  Type.Object({
    device: Type.String({ description: 'Id of the input device' }),
    slot: Type.Integer({ minimum: 0, description: 'Which finger' }),
    x: Fraction,
    y: Fraction,
    pressed: Type.Boolean(),
    ts: Timestamp,
  }),
  'Normalised touch points; many',
  { mayBeDropped: true },
);

export const getInputDevices = endpoint({
  method: 'GET',
  path: '/input/devices',
  tag: 'Input',
  summary: 'Detected input devices',
  description: 'Touch panels, pointers and keyboards that are connected now.',
  status: 200,
  response: Type.Array(InputDevice),
  errors: [],
});
