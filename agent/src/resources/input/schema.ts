import type { Static } from 'typebox';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { defineError } from '../../contract/errors.ts';
import { CONTROL, Exactly, matching, Nullable, Timestamp } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';

export const remoteInputDisabled = defineError(
  'remote_input_disabled',
  503,
  'Input from the host is switched off in the configuration.',
);

/** Events of a request. */
const MAX_EVENTS = 64;
/** Characters of all texts of a request. */
export const MAX_TEXT = 1000;
/** Longest way of the wheel in an event, in pixels. */
const MAX_SCROLL = 10_000;

export const BUTTONS = ['left', 'middle', 'right'] as const;
/**
 * None of them does anything outside of the page. Alt is missing because the compositor's own keys need it
 * (docs/api.md: Remote input).
 */
export const KEYS = [
  ...(['Enter', 'Tab', 'Backspace', 'Delete', 'Escape'] as const),
  ...(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'] as const),
  ...(['Home', 'End', 'PageUp', 'PageDown', 'Shift', 'Control'] as const),
] as const;

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

const Scroll = (direction: string) =>
  Type.Optional(
    Type.Number({
      minimum: -MAX_SCROLL,
      maximum: MAX_SCROLL,
      description: `wheel: pixels ${direction}, as in the page's wheel event`,
    }),
  );

/** Rules over several fields are in injection.ts. */
export const InjectedEvent = Type.Object(
  {
    type: Type.Enum(['move', 'click', 'button', 'wheel', 'key', 'text'], {
      description:
        'move: the pointer to `x` and `y`; click: moves there, presses and releases; button: presses or releases where the ' +
        'pointer is; wheel: scrolls there; key: one of `key`; text: types `text` without modifiers',
    }),
    x: Type.Optional(Fraction),
    y: Type.Optional(Fraction),
    button: Type.Optional(
      Type.Enum([...BUTTONS], { description: 'click, button. The left one if it is omitted' }),
    ),
    pressed: Type.Optional(
      Type.Boolean({ description: 'button, key. A key without it is pressed and released at once' }),
    ),
    dx: Scroll('to the right'),
    dy: Scroll('down'),
    key: Type.Optional(Type.Enum([...KEYS], { description: 'Named as in the page’s keyboard event' })),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_TEXT,
        ...matching(
          `^(?:[^${CONTROL}]|[\\n\\t])*$`,
          'must have no control characters but line feeds and tabs',
        ),
        description:
          'Any characters, whatever `input.keyboard_layout` is: for the page each is a key of its own. A line feed is Enter, a ' +
          `tab is Tab; no other control characters. All texts of a request have at most ${MAX_TEXT} characters`,
      }),
    ),
  },
  { $id: 'InjectedEvent', additionalProperties: false },
);
export type InjectedEvent = Static<typeof InjectedEvent>;

export const injectInput = endpoint({
  method: 'POST',
  path: '/input/inject',
  tag: 'Input',
  summary: 'Click and type on the screen',
  description:
    'For support of a device that nobody stands at: a mouse and a keyboard of the host. The events are done in their order, ' +
    'beside the input of people at the screen; 204 when the compositor has got all, and the page has handled them unless it ' +
    'takes seconds. A field of another type of event is 400, ' +
    'and nothing is done. What is still pressed is released 5 s after the last request, when input fails, and when ' +
    '`input.remote` becomes false. The mouse pointer is shown (`browser.pointer`) until 30 s after the last request. 503 ' +
    '`unavailable` without a compositor of the device or a screen.',
  body: Exactly({
    events: Type.Array(InjectedEvent, { minItems: 1, maxItems: MAX_EVENTS }),
  }),
  status: 204,
  errors: ['unavailable', remoteInputDisabled],
});

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
