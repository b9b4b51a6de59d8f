import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { Nullable, Timestamp } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';

const UsbId = Type.Integer({ minimum: 0, maximum: 0xffff });

/** A touch panel, mouse or keyboard. */
export const InputDevice = Type.Object(
  {
    id: Type.String({
      description: 'Name of the event device; may change when it is plugged in again',
      examples: ['event3'],
    }),
    name: Type.String(),
    kind: Type.Enum(['touch', 'pointer', 'keyboard', 'other']),
    vendor_id: Nullable(UsbId),
    product_id: Nullable(UsbId),
    node: Type.String({ description: 'Device node', examples: ['/dev/input/event3'] }),
  },
  { $id: 'InputDevice' },
);

const Fraction = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Of the page, so it turns with the display',
});

export const inputRaw = topic(
  'input_raw',
  Type.Object({
    device: Type.String({ description: 'Id of the input device' }),
    slot: Type.Integer({ minimum: 0, description: 'Which finger; 0 for a pointer' }),
    x: Fraction,
    y: Fraction,
    pressed: Type.Boolean(),
    ts: Timestamp,
  }),
  'Touches, and pointers with absolute positions, also while not pressed: at most one event for each finger and frame ' +
    'of the device, with the time of the kernel. A device that is unplugged releases its fingers. Read only while ' +
    'somebody is subscribed, 16 devices at most. Mice have no position of their own, and keys are never sent',
  { mayBeDropped: true },
);

export const getInputDevices = endpoint({
  method: 'GET',
  path: '/input/devices',
  tag: 'Input',
  summary: 'Detected input devices',
  description:
    'Touch panels, pointers and keyboards that are connected now. Their ids of USB are null where there are none.',
  status: 200,
  response: Type.Array(InputDevice),
  errors: [],
});
