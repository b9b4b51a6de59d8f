import type { Static } from 'typebox';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { defineError } from '../../contract/errors.ts';
import { CONTROL, Exactly, matching, Nullable } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';
import { WEB_ADDRESS } from '../config/field-types.ts';
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
const ERROR_CODES = [
  '`load_failed`: name resolution, connection, a type that is not shown, or the like. A response with an HTTP error status is a page, not a failure.',
  '`load_timeout`: nothing of the page arrived within 60 s. After the first data the page has 60 s for the rest; then `loading` ends and the page stays.',
  '`tls_failed`: the certificate is not accepted.',
  '`authentication_required`: the server asked for a password (401 with a challenge, 407). There is no prompt; the page that came with the response is shown, and is not requested again until a host asks for it.',
  '`page_crashed`, `page_out_of_memory`: the process of the page ended, the latter by `browser.memory_limit_mb`.',
  '`page_unresponsive`: the main thread of the page did not answer two checks in a row, 8 s each, or 60 s long after its process was started. The page is ended and loaded again.',
  '`screen_frozen`: the page answers, but no frame has reached the screen for 20 s. Frames are checked once a minute while a screen is connected; a still page is painted for it, which it cannot notice. The page gets a new process or, if the compositor does not answer, the compositor is restarted.',
  '`browser_unavailable`: the browser does not run.',
  '`bundle_missing`, `bundle_damaged`: the bundle that was to be shown at boot; `mode` is `waiting`.',
].join('\n\n');

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
  {
    $id: 'DisplayError',
    description: `Failures in a row are answered with a new page, then a new browser, then a new compositor.\n\n${ERROR_CODES}`,
  },
);
export type DisplayError = Static<typeof DisplayError>;

/** What is on the screen. */
export const DisplayState = Type.Object(
  {
    mode: Type.Enum(['url', 'bundle', 'waiting']),
    url: Type.Optional(
      Type.String({
        format: 'uri',
        description:
          'In mode `url`: the present address of the page, also after a script changed it; at most 250 ms old',
      }),
    ),
    target_url: Type.Optional(
      Type.String({
        format: 'uri',
        description: 'In mode `url`: the address that was asked for, which is loaded again after a failure',
      }),
    ),
    bundle: Type.Optional(
      Type.String({ description: 'In mode `bundle`: its name, wherever its page navigates itself' }),
    ),
    screen_on: Type.Boolean({
      description:
        'Whether a screen is connected and on. With HDMI-CEC it is asked every 10 s, so its remote control counts; after ' +
        'three questions without an answer, and without CEC, this says whether the output is powered',
    }),
    rotation: Type.Enum([...ROTATIONS], { description: 'Of the output now, in degrees clockwise' }),
    resolution: Nullable(Mode),
    loading: Type.Boolean({ description: 'The target is on its way to the screen; every load ends' }),
    error: Nullable(DisplayError),
  },
  {
    $id: 'DisplayState',
    description:
      'What is on the screen. `resolution` is null without a screen. `error` tells why the target is not; the device goes on trying by itself, but for ' +
      '`authentication_required`: what the server answers without a password is shown. In mode `waiting`, `bundle_missing` and `bundle_damaged` tell why the bundle that was to be shown at boot is not; ' +
      'it is not tried again before the next boot.',
  },
);
export type DisplayState = Static<typeof DisplayState>;

export const Screen = Type.Object(
  {
    id: Type.String({
      description:
        'Name of the DRM connector. On a system without connectors, the outputs of the compositor are the screens ' +
        '(`HEADLESS-1`), connected from the first browser on',
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
  { $id: 'Screen', description: 'Only the primary screen is driven; a second one stays dark' },
);
export type Screen = Static<typeof Screen>;

export const displayState = topic(
  'display_state',
  DisplayState,
  'Every mode or URL change, load, failure, and browser crash or restart',
  { isState: true },
);

export const ScreenQuery = Exactly({
  screen: Type.Optional(
    Type.String({
      description: 'Only the id of the primary screen is valid in v1; anything else is `screen_not_found`',
    }),
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
  description:
    'In the order of the board (`SCREENS` in its `board.env`), then of the kernel. The primary screen is the first one ' +
    'that is connected, or the first of all; it alone is driven. A screen that is plugged in is used as configured ' +
    'within 5 s; while it is unplugged, `screen_on` is false and the page goes on.',
  ...common,
  response: Type.Array(Screen),
  errors: [screenNotFound],
});

export const navigate = endpoint({
  method: 'POST',
  path: '/display/navigate',
  summary: 'Show a URL',
  description:
    'Does not wait for the page; `loading`, `error` and the `display_state` event tell how it goes. A page cannot block ' +
    'the next one: if it asks whether to leave, the answer is yes, and if it cancels the next load, navigates elsewhere ' +
    'meanwhile, or keeps the load from starting for 15 s, it is ended.\n\n' +
    'As targets, the engine shows videos and audio that it plays (once, with controls), images, text, CSV, JSON and XML. ' +
    'PDF documents, archives and all other types are `load_failed` with the reason; in frames they are left out.\n\n' +
    'Where a click or touch of a person asks for a new window, the page itself goes there; a form that sends data to a ' +
    'new window does nothing, nor does a script without a person. Fields for date, time and colour and lists of ' +
    'suggestions (`datalist`) are plain text fields.',
  ...action,
  body: Exactly({
    url: Type.String({
      minLength: 1,
      maxLength: 8192,
      format: 'uri',
      ...matching(`^[Hh][Tt][Tt][Pp][Ss]?://[^\\s${CONTROL}/][^${CONTROL}]*$`, WEB_ADDRESS),
      examples: ['https://example.com/'],
      description: 'http: or https:, without control characters',
    }),
  }),
});

export const showBundle = endpoint({
  method: 'POST',
  path: '/display/bundle',
  summary: 'Show a stored bundle',
  description:
    'A bundle that cannot be shown is refused, and the screen stays as it is: 404 `content_not_found`, or 400 ' +
    '`bundle_invalid` with the reason. Does not wait for the page; `loading`, `error` and the `display_state` event tell ' +
    'how it goes. Replacing the displayed bundle loads its start page as soon as the new version is stored.',
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
    'shown comes back by itself. Works when the disk is full. 503 `unavailable` with the reason if it fails, and on a ' +
    'computer that does not run a browser of its own. `browser.clear_data_on_boot` does the same at each boot.\n\n' +
    'What pages store, caches included, is limited to a quarter of the data partition. One origin can store 60 % of that; ' +
    'then its writes fail with `QuotaExceededError`, and `problems` of health says so shortly before. When all origins ' +
    'exceed 70 %, data of other sites than the displayed one is deleted. Origins of the displayed site (other ports or ' +
    'subdomains) are kept: together they can use up the quarter, and an IndexedDB transaction may then never complete.',
  ...action,
});

export const switchScreen = endpoint({
  method: 'POST',
  path: '/display/screen',
  summary: "Switch the screen's power over HDMI-CEC, best-effort",
  description:
    'Answers when the screen has taken the command. What it does is then read back for 30 s, twice alike, since ' +
    'televisions report the old power for a while, and the command is repeated every 8 s: `screen_on` and the ' +
    '`display_state` event say it, `problems` of health if the screen did not follow. The browser goes on either way. ' +
    '503 `unavailable` without an adapter, without a screen that speaks CEC, or if it takes no command. An adapter ' +
    'belongs to the output that its driver names; one that names none is used for an output without its own.',
  ...action,
  errors: [screenNotFound, 'unavailable', 'too_many_requests'],
  body: Exactly({ on: Type.Boolean() }),
});

export const takeScreenshot = endpoint({
  method: 'GET',
  path: '/display/screenshot',
  summary: 'What the page shows, as a picture',
  description:
    'The part of the page that is visible, in the size in which it is rendered, without the on-screen keyboard. 429 ' +
    '`too_many_requests` while 4 others are being taken.',
  ...common,
  download: { contentType: 'image/png', description: 'PNG of the visible part of the page' },
  errors: [screenNotFound, 'unavailable'],
});

export const executeJs = endpoint({
  method: 'POST',
  path: '/display/execute-js',
  summary: 'Evaluate a script in the displayed page',
  description:
    'The script is the body of an async function in the top frame of the page, where it sees the objects of the page, ' +
    'also under a strict content security policy. `result` is the value of its last statement if that is an expression, or ' +
    'what `return` gives. Promises are awaited, an object literal is a value, `undefined` and functions are null, and ' +
    'variables end with the script. The page can shape results and exceptions, so both are its claim.\n\n' +
    '400 `script_error` if the script throws or is not JavaScript, with message, line and column in `details` (null where ' +
    'there is none); if JSON cannot represent the value; if the result has more than 4 MiB of JSON, or more than 200 ' +
    'levels. 504 `script_timeout` after `browser.script_timeout_ms`, at most 1 s later if the browser does not answer; ' +
    'the script may go on.\n\n' +
    'While a requested page is on its way, or 8 scripts are running, the script waits up to the same time before it ' +
    'starts; 32 wait, more are 429. It never runs in another page than the one that was shown, or asked for, when it ' +
    'arrived: if the page is left first, or the target is not on the screen, the response is 409 `conflict`.',
  ...common,
  body: Exactly({ script: Type.String({ minLength: 1, maxLength: 1024 * 1024 }) }),
  response: Type.Object({ result: Type.Unknown({ description: 'Value of the script, as JSON' }) }),
  errors: [screenNotFound, scriptError, scriptTimeout, 'conflict', 'unavailable'],
});
