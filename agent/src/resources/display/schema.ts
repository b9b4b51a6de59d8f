import { type Static, Type } from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { defineError } from '../../contract/errors.ts';
import { CONTROL, Exactly, Nullable } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';
import { BundleName, bundleInvalid, contentNotFound } from '../content/schema.ts';

/** Rotations of a screen, in degrees clockwise. */
export const ROTATIONS = [0, 90, 180, 270] as const;

/** Longest id of a screen, in characters: the kernel's connector names are shorter. */
export const MAX_SCREEN_ID = 64;

export const screenNotFound = defineError('screen_not_found', 400, 'There is no such screen.');
export const scriptError = defineError(
  'script_error',
  400,
  'The script threw, or its value cannot be carried as JSON.',
);
export const scriptTimeout = defineError('script_timeout', 504, 'The script did not finish in time.');

export const Rotation = Type.Enum([...ROTATIONS], { description: 'Degrees clockwise' });
export type Rotation = Static<typeof Rotation>;

const Mode = Type.String({
  pattern: '^\\d+x\\d+@\\d+(?:\\.\\d+)?$',
  description: '<width>x<height>@<refresh in Hz>, before rotation',
  examples: ['1920x1080@60', '1280x720@59.94'],
});

/** Why the target is not on the screen, or not the page that was meant. */
export const DisplayError = Type.Object(
  {
    code: Type.Enum([
      'load_failed',
      'load_timeout',
      'tls_failed',
      'authentication_required',
      'page_crashed',
      'page_out_of_memory',
      'page_unresponsive',
      'screen_frozen',
      'browser_unavailable',
      'bundle_missing',
      'bundle_damaged',
    ]),
    message: Type.String({ description: 'Human-readable English; the wording may change' }),
  },
  { $id: 'DisplayError' },
);
export type DisplayError = Static<typeof DisplayError>;

/** What is on the screen (interface: Display state). */
export const DisplayState = Type.Object(
  {
    mode: Type.Enum(['url', 'bundle', 'waiting']),
    url: Type.Optional(
      Type.String({
        format: 'uri',
        description: 'In mode `url`: the present address of the page on the screen',
      }),
    ),
    target_url: Type.Optional(
      Type.String({
        format: 'uri',
        description: 'In mode `url`: the address that was asked for, which is loaded again after a failure',
      }),
    ),
    bundle: Type.Optional(Type.String({ description: 'In mode `bundle`: its name' })),
    screen_on: Type.Boolean({
      description: 'Whether the screen is connected and powered, as it reports over HDMI-CEC if it has that',
    }),
    rotation: Rotation,
    resolution: Nullable(Mode),
    loading: Type.Boolean({ description: 'The target is on its way to the screen' }),
    error: Nullable(DisplayError),
  },
  {
    $id: 'DisplayState',
    description:
      'What is on the screen. `error` tells why the target is not; the device goes on trying by itself, but for ' +
      '`authentication_required`: what the server answers without a password is shown. In mode `waiting`, `bundle_missing` and `bundle_damaged` tell why the bundle that was to be shown at boot is not; ' +
      'it is not tried again before the next boot.',
  },
);
export type DisplayState = Static<typeof DisplayState>;

export const Screen = Type.Object(
  {
    id: Type.String({
      description: "The connector's name; without connectors, that of the compositor's output",
      examples: ['HDMI-A-1', 'Virtual-1'],
    }),
    primary: Type.Boolean(),
    connected: Type.Boolean(),
    resolution: Nullable(Mode),
    modes: Type.Array(Type.String({ description: '<width>x<height>, with @<refresh> where it is known' })),
    rotation: Rotation,
    make: Nullable(Type.String()),
    model: Nullable(Type.String()),
  },
  { $id: 'Screen' },
);
export type Screen = Static<typeof Screen>;

export const displayState = topic(
  'display_state',
  DisplayState,
  'Every mode or URL change, load, failure, and browser crash or restart',
);

export const ScreenQuery = Exactly({
  screen: Type.Optional(
    Type.String({ description: "The primary screen's id is the only valid value in v1" }),
  ),
});

const common = { tag: 'Display', query: ScreenQuery, status: 200 } as const;
const action = {
  ...common,
  response: DisplayState,
  errors: [screenNotFound, 'unavailable'],
} as const;

export const getDisplay = endpoint({
  method: 'GET',
  path: '/display',
  summary: 'What is on the screen',
  description: 'What is shown, whether it is loading or has failed, and how the screen is turned.',
  ...action,
  errors: [screenNotFound],
});

export const getScreens = endpoint({
  method: 'GET',
  path: '/display/screens',
  summary: 'The outputs of the board and what is connected to them',
  description: "In the board's order. The primary screen is the first that is connected; it alone is driven.",
  ...common,
  response: Type.Array(Screen),
  errors: [screenNotFound],
});

export const navigate = endpoint({
  method: 'POST',
  path: '/display/navigate',
  summary: 'Show a URL',
  description:
    'Does not wait for the page; `loading`, `error` and the `display_state` event tell how it goes.',
  ...action,
  body: Exactly({
    url: Type.String({
      minLength: 1,
      maxLength: 8192,
      format: 'uri',
      pattern: `^[Hh][Tt][Tt][Pp][Ss]?://[^\\s${CONTROL}/][^${CONTROL}]*$`,
      description: 'http: or https:, without control characters',
    }),
  }),
});

export const showBundle = endpoint({
  method: 'POST',
  path: '/display/bundle',
  summary: 'Show a stored bundle',
  description:
    'A bundle that cannot be shown is refused, and the screen stays as it is. Does not wait for the page; `loading`, ' +
    '`error` and the `display_state` event tell how it goes. A new upload of the bundle loads it again.',
  ...action,
  body: Exactly({ name: BundleName }),
  errors: [screenNotFound, contentNotFound, bundleInvalid, 'unavailable'],
});

export const showWaitingPage = endpoint({
  method: 'POST',
  path: '/display/waiting',
  summary: 'Show the built-in waiting page',
  description: 'Takes the place of what is shown, which is no longer tried.',
  ...action,
});

export const reload = endpoint({
  method: 'POST',
  path: '/display/reload',
  summary: 'Load what is shown again, past the cache',
  description: 'Does not wait for the page; the `display_state` event tells how it goes.',
  ...action,
});

export const restartBrowser = endpoint({
  method: 'POST',
  path: '/display/restart-browser',
  summary: 'Restart the browser; what is shown comes back by itself',
  description: 'Does not wait for the browser; the `display_state` event tells how it goes.',
  ...action,
});

export const clearData = endpoint({
  method: 'POST',
  path: '/display/clear-data',
  summary: 'Delete what the browser has stored: cookies, storage, caches, service workers of all origins',
  description:
    'Answers when all of it is gone. The browser is restarted for it, also when it does not respond, and what is ' +
    'shown comes back by itself. Works when the disk is full.',
  ...action,
});

export const switchScreen = endpoint({
  method: 'POST',
  path: '/display/screen',
  summary: "Switch the screen's power over HDMI-CEC, best-effort",
  description:
    'Answers when the screen has taken the command. What it does is then read back: `screen_on` and the ' +
    '`display_state` event say it, `problems` of health if it does not follow within 30 s. The browser goes on ' +
    'either way. 503 `unavailable` without HDMI-CEC.',
  ...action,
  errors: [screenNotFound, 'unavailable', 'too_many_requests'],
  body: Exactly({ on: Type.Boolean() }),
});

export const takeScreenshot = endpoint({
  method: 'GET',
  path: '/display/screenshot',
  summary: 'What the page shows, as a picture',
  description:
    'The part of the page that is visible. 429 `too_many_requests` while 4 others are being taken.',
  ...common,
  download: { contentType: 'image/png', description: 'PNG of the visible part of the page' },
  errors: [screenNotFound, 'unavailable'],
});

export const executeJs = endpoint({
  method: 'POST',
  path: '/display/execute-js',
  summary: 'Evaluate a script in the displayed page',
  description:
    'The value of the last statement, or what `return` gives; a promise is awaited. While a page is on its way, the ' +
    'script waits for it. 400 `script_error` when it throws, with message, line and column in `details`, or when the ' +
    'result has more than 4 MiB of JSON; 409 `conflict` when the page is left first.',
  ...common,
  body: Exactly({ script: Type.String({ minLength: 1, maxLength: 1024 * 1024 }) }),
  response: Type.Object({ result: Type.Unknown({ description: 'Value of the script, as JSON' }) }),
  errors: [screenNotFound, scriptError, scriptTimeout, 'conflict', 'unavailable'],
});
