/** Configuration groups `display`, `browser` and `proxy`. */
import * as Type from 'typebox';
import { matching } from '../../contract/shared.ts';
import { label, Origin, originRules, pointerKey, urlRules, WebUrl } from '../config/field-types.ts';
import { atBoot, live, section } from '../config/fields.ts';
import { type BrokenRule, configGroup, type GroupValue } from '../config/group.ts';
import { BundleName } from '../content/schema.ts';
import { PowerSpan } from './power-schedule.ts';
import { MAX_SCREEN_ID, ROTATIONS, screenNotFound } from './schema.ts';

const NoProxy = Type.String({
  minLength: 1,
  maxLength: 253,
  ...matching(
    '^[\\w.*:/-]+$',
    'must be a host, an address or a network, such as intranet.example or 192.168.0.0/16',
  ),
});

const Language = Type.String(
  matching('^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,5}$', 'must be a language tag, such as de-CH'),
);

const Mode = Type.String({
  ...matching(
    '^[1-9]\\d{1,4}x[1-9]\\d{1,4}@[1-9]\\d{0,2}(?:\\.\\d{1,3})?$',
    'must be width, height and rate, such as 1920x1080@60',
  ),
  description: '<width>x<height>@<refresh>',
  examples: ['1920x1080@60'],
});

/** `display.screens.<id>`: what differs on one output. */
const ScreenConfig = section('ScreenConfig', {
  rotation: live.maybe(Type.Enum([...ROTATIONS]), {
    description: 'null: as `display.rotation`. Live on the primary screen, reboot_required on others',
  }),
  forced_mode: atBoot.maybe(Mode, { description: 'null: as `display.forced_mode`' }),
  url: atBoot.maybe(WebUrl, { description: 'Shown at boot; null: the waiting page' }),
  browser: section('ScreenBrowserConfig', {
    backend: atBoot.maybe(Type.Enum(['wpe']), { description: 'null: as `browser.backend`' }),
  }),
});

export const displayConfig = configGroup(
  'display',
  'DisplayConfig',
  {
    rotation: live.choice(0, ROTATIONS, { description: 'Degrees clockwise, of the primary screen' }),
    forced_mode: atBoot.maybe(Mode, {
      description:
        'null: the screen decides. A mode that the screen does not list is possible, too (timings by CVT); the nearest ' +
        'listed rate within 0.5 Hz is used. A mode that the screen does not take, or that ends the compositor twice, is ' +
        'left out, and `problems` of health says so',
    }),
    scale: live.maybe(Type.Number({ minimum: 1, maximum: 4, multipleOf: 0.25 }), {
      description:
        'Pixels per CSS pixel (`devicePixelRatio`). null: 1 up to Full HD (1920 × 1200); above it, a whole number by the ' +
        'height in the EDID: screens from 45 cm or of unknown size get about 1080 CSS pixels, monitors one more per 110 ' +
        'dpi. With a fraction, pages are rendered at the next whole number and scaled down',
    }),
    resume_on_boot: atBoot.bool(false, { description: 'At boot, show again what was shown last' }),
    boot_bundle: atBoot.maybe(BundleName, {
      description: 'Bundle shown at boot; it may be uploaded later. Never navigates the running display',
    }),
    power_schedule: live.list(PowerSpan, 64, {
      description:
        'When the screen is on, over HDMI-CEC, by day of the week; empty: nothing is switched. The screen is switched ' +
        'when the scheduled state changes and at boot, so what a host or a person switches lasts until the next change. ' +
        'Nothing is switched before the clock was set by a time server or a real-time clock; `problems` of health says so. ' +
        'A time that daylight saving skips is the moment of the change, one that comes twice its first occurrence',
    }),
    screens: Type.Record(Type.String(), ScreenConfig, {
      maxProperties: 16,
      propertyNames: { minLength: 1, maxLength: MAX_SCREEN_ID },
      default: {},
      description:
        'By id of `GET /display/screens`; null for an entry removes it, also without such a screen',
    }),
  },
  {
    description:
      'At boot, the first of these that exists is shown: what was shown last (with `resume_on_boot`), the bundle ' +
      '`boot_bundle`, `screens.<primary>.url`, the waiting page. Instead of a missing or damaged bundle, the waiting page is ' +
      'shown with the reason (`bundle_missing`, `bundle_damaged`); uploading the bundle later does not change the screen. If ' +
      'the compositor does not apply rotation, scale or mode, `problems` of health says so. A patch of `screens.<id>`, ' +
      'including `null`, is 400 `screen_not_found` if `GET /display/screens` does not list the id and nothing is stored for ' +
      'it; `details` has `screen`, its first 64 characters, and `screens`, the existing ones. Touches turn with the display; ' +
      'a calibration matrix of udev (`LIBINPUT_CALIBRATION_MATRIX`) applies only while it is not rotated',
    errors: [screenNotFound],
    rules: ({ screens }) =>
      urlRules(
        Object.fromEntries(
          Object.entries(screens).map(([id, { url }]) => [`/screens/${pointerKey(id)}/url`, url]),
        ),
      ),
  },
);

/** Open on the cable only: overlay/usr/lib/vitrine/firewall.nft. */
export const INSPECTOR_PORT = 9222;

export type DisplayConfig = GroupValue<typeof displayConfig>;

/** Layouts of the on-screen keyboard (browser/src/keyboard-keys.c). */
const KEYBOARD_LAYOUTS = ['en', 'de', 'fr', 'es'] as const;

/** Requires language tags as BCP 47 writes them. */
function languageRules(languages: readonly string[]): BrokenRule[] {
  return languages.flatMap((tag, index) => {
    const canonical = canonicalTag(tag);
    if (canonical === tag) return [];
    const message = canonical ? `must be written as ${canonical}` : 'must be a language tag';
    return [{ path: `/languages/${index}`, message, reset: '/languages' }];
  });
}

function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** What pages have to be permitted. */
const Permission = Type.Object(
  {
    origin: Origin,
    kind: Type.Enum(['camera', 'geolocation', 'microphone', 'notifications']),
  },
  { $id: 'BrowserPermission', additionalProperties: false },
);

export const browserConfig = configGroup(
  'browser',
  'BrowserConfig',
  {
    backend: atBoot.choice('wpe', ['wpe']),
    user_agent: live.maybe(Type.String(label(512)), {
      description: "null: the browser's own. The browser restarts",
    }),
    languages: live.list(Language, 8, {
      uniqueItems: true,
      description:
        'BCP 47 tags that servers are asked for (Accept-Language), the preferred one first; empty: en-US. Applied with the ' +
        'next page. Pages see only the first one, in navigator.language and navigator.languages',
      examples: [['de-CH', 'fr', 'en']],
    }),
    script_timeout_ms: live.int(10_000, 100, 600_000, {
      description: 'Bound of `POST /display/execute-js`',
    }),
    ignore_tls_errors: live.bool(false, {
      description:
        'Show pages whose certificate is invalid. TLS 1.2 or newer is still needed. The browser restarts',
    }),
    memory_limit_mb: live.maybe(Type.Integer({ minimum: 128, maximum: 16_384 }), {
      description:
        'Of one page, in MiB; null: half of the memory, at least 384. A page that exceeds it is ended ' +
        '(`page_out_of_memory`), and the target is loaded again. WebKit counts shared libraries, too: on virt an empty page ' +
        'takes 290 MB, and a lower limit ends every page. The browser restarts',
    }),
    clear_data_on_boot: atBoot.bool(false, {
      description:
        'As `POST /display/clear-data`, at each boot before the first page; not when only the browser restarts',
    }),
    remote_debugging: live.bool(false, {
      description:
        `WebKit's inspector on port ${INSPECTOR_PORT}, for a WebKit browser. Only the cable reaches it: other networks and the ` +
        'displayed page are rejected. It has no password and does not check which site uses it, so a page in a browser of ' +
        'the host could use it, too: enable it only while you need it. The browser restarts',
    }),
    permissions: live.list(Permission, 64, {
      description:
        'By origin of the displayed page, as browsers write it; all others are denied, and so are capturing the screen, ' +
        'pointer lock, XR, decryption modules and storage for embedded sites. Frames of other origins get nothing unless ' +
        'the page hands a permission on (attribute `allow`). A page that was denied can ask again after it was loaded ' +
        'again. Without hardware, pages get the error of the standard: there is no source of positions ' +
        '(`POSITION_UNAVAILABLE`), and notifications are accepted but not displayed',
    }),
    text_selection: live.bool(false, {
      description:
        'Whether people can select text and drag images outside of fields and editable parts; pages cannot change it',
    }),
    pointer: live.choice('auto', ['auto', 'always', 'never'], {
      description:
        'The mouse pointer. auto: hidden while no mouse is connected, and where pages hide it; always: pages cannot hide ' +
        'it; never: for touch controllers that also call themselves a mouse',
    }),
    zoom: live.bool(false, {
      description:
        'Whether people can zoom: by pinching, or control with the wheel, plus, minus or 0. A navigation, and false, end a zoom',
    }),
    allow_host_services: live.bool(false, {
      description: 'Whether pages reach services of the host at the other end of the USB cable, a proxy too',
    }),
    on_screen_keyboard: live.choice('auto', ['off', 'auto', 'on'], {
      description:
        'auto: while there is a touch screen and no keyboard. Scanners and card readers that type count as keyboards: ' +
        'boards with one need `on`. It appears when somebody touches a field that can be edited, or uses the page and the ' +
        'page moves the focus to one in the same moment; a page alone cannot show it (`autofocus`, a timer), and ' +
        '`inputmode="none"` prevents it. It disappears when the field loses the focus, when the page is left, and by its ' +
        'key `▼`, after which it appears again only when somebody touches the page',
    }),
    keyboard_layouts: live.list(Type.Enum([...KEYBOARD_LAYOUTS]), KEYBOARD_LAYOUTS.length, {
      uniqueItems: true,
      description:
        'The layouts that the language key of the on-screen keyboard goes through; empty: en. A long press on a letter ' +
        'offers its accents. Fields for numbers have a number pad, those for addresses `@` or `/` beside the space bar',
    }),
  },
  {
    description:
      'There are no context menus. Cookies and storage are kept on the data partition; databases and folders that are ' +
      'damaged are replaced by empty ones when the browser starts, and the log names them. If they cannot be written, pages ' +
      'are shown nevertheless, and what they store may be lost.\n\n' +
      'The on-screen keyboard takes at most 40 % of the height of the screen. The window of the page becomes smaller by ' +
      'that, so nothing is covered, and the focused field is scrolled into view (a field higher than 300 pixels, or in a ' +
      'frame that is sandboxed without `allow-scripts`, only when something is typed). The field with the focus gets ' +
      '`keydown`, `keypress`, `input` and `keyup` as from a keyboard, in all frames and under any content security policy; ' +
      'characters without a key have the code `Unidentified`. A page gets no touches on the keyboard and cannot draw over ' +
      'it; it can move the focus, and then gets the next keys. A pressed key lights up, except in a password field.\n\n' +
      'On the profile `generic`, `allow_host_services` and `remote_debugging` are stored and never applied',
    rules: ({ permissions, languages }) => [
      ...permissions.flatMap(({ origin }, index) =>
        originRules('/permissions', [origin]).map((rule) => ({
          ...rule,
          path: `/permissions/${index}/origin`,
        })),
      ),
      ...languageRules(languages),
    ],
  },
);

export type BrowserConfig = GroupValue<typeof browserConfig>;

export const proxyConfig = configGroup(
  'proxy',
  'ProxyConfig',
  {
    mode: live.choice('none', ['none', 'manual', 'pac']),
    http: live.maybe(WebUrl, {
      description: 'Proxy for http: pages in mode `manual`; null: directly',
    }),
    https: live.maybe(WebUrl, {
      description: 'Proxy for https: pages in mode `manual`, as a tunnel; null: directly',
    }),
    no_proxy: live.list(NoProxy, 64, {
      description: 'Hosts, domains with their subdomains, addresses and networks reached without the proxy',
      examples: [['intranet.example', '192.168.0.0/16']],
    }),
    pac_url: live.maybe(WebUrl, {
      description:
        'Needed in mode `pac`: a script with `FindProxyForURL` or `FindProxyForURLEx`, in JavaScript as pages may use, with ' +
        'the functions of the Netscape format and those for IPv6. It is read every 10 minutes and when the browser starts, ' +
        'and gets only the origin of `https:` pages. If it cannot be fetched, takes more than 5 s or 256 MiB, pages are ' +
        'loaded directly for 30 s before it is tried again; after an exception or an answer that is none, that page is. ' +
        '`problems` of health says so, until the script has answered for 30 s',
    }),
  },
  {
    description:
      'The browser restarts for a change. Bundles and other addresses of the loopback, link-local addresses, names of the ' +
      'device itself and the network of the USB cable are never reached through a proxy. Proxies that ask for a password ' +
      'cannot be used. A proxy on the host of the cable needs `browser.allow_host_services`',
    rules: ({ mode, http, https, pac_url }) => {
      const broken = urlRules({ '/http': http, '/https': https, '/pac_url': pac_url });
      if (mode === 'manual' && http === null && https === null) {
        broken.push({
          path: '/http',
          message: 'or /proxy/https is required in mode manual',
          reset: '/mode',
        });
      }
      if (mode === 'pac' && pac_url === null) {
        broken.push({ path: '/pac_url', message: 'is required in mode pac', reset: '/mode' });
      }
      return broken;
    },
  },
);
