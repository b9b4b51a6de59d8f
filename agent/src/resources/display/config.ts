/** Configuration groups `display`, `browser` and `proxy` (interface: Configuration). */
import { Type } from 'typebox';
import { label, Origin, originRules, pointerKey, urlRules, WebUrl } from '../config/field-types.ts';
import { atBoot, live, section } from '../config/fields.ts';
import { type BrokenRule, configGroup, type GroupValue } from '../config/group.ts';
import { BUNDLE_NAME } from '../content/schema.ts';
import { PowerSpan } from './power-schedule.ts';
import { MAX_SCREEN_ID, ROTATIONS, screenNotFound } from './schema.ts';

const Mode = Type.String({
  pattern: '^[1-9]\\d{1,4}x[1-9]\\d{1,4}@[1-9]\\d{0,2}(?:\\.\\d{1,3})?$',
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
    forced_mode: atBoot.maybe(Mode, { description: 'null: the screen decides' }),
    scale: live.maybe(Type.Number({ minimum: 1, maximum: 4, multipleOf: 0.25 }), {
      description:
        'Pixels per CSS pixel, each way; null: by the size and mode of the screen, 1 up to Full HD',
    }),
    resume_on_boot: atBoot.bool(false, { description: 'At boot, show again what was shown last' }),
    boot_bundle: atBoot.maybe(Type.String({ pattern: BUNDLE_NAME }), {
      description: 'Bundle shown at boot; it may be uploaded later. Never navigates the running display',
    }),
    power_schedule: live.list(PowerSpan, 64, {
      description: 'When the screen is on, over HDMI-CEC, by day of the week; empty: nothing is switched',
    }),
    screens: Type.Record(Type.String(), ScreenConfig, {
      maxProperties: 16,
      propertyNames: { minLength: 1, maxLength: MAX_SCREEN_ID },
      default: {},
      description: 'By id of `GET /display/screens`',
    }),
  },
  {
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
    user_agent: live.maybe(Type.String(label(512)), { description: "null: the browser's own" }),
    languages: live.list(Type.String({ pattern: '^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,5}$' }), 8, {
      uniqueItems: true,
      description:
        'Languages that servers are asked for (Accept-Language), the preferred one first, which is also navigator.language; empty: en-US',
      examples: [['de-CH', 'fr', 'en']],
    }),
    script_timeout_ms: live.int(10_000, 100, 600_000, {
      description: 'Bound of `POST /display/execute-js`',
    }),
    ignore_tls_errors: live.bool(false, { description: 'Show pages whose TLS certificate is invalid' }),
    memory_limit_mb: live.maybe(Type.Integer({ minimum: 128, maximum: 16_384 }), {
      description: 'Of one page, in MiB; null: by the size of the memory',
    }),
    clear_data_on_boot: atBoot.bool(false, { description: 'Forget cookies and storage of pages at boot' }),
    remote_debugging: live.bool(false, {
      description: `WebKit's inspector on port ${INSPECTOR_PORT} of the cable`,
    }),
    permissions: live.list(Permission, 64, { description: 'Permissions by origin; all others are denied' }),
    text_selection: live.bool(false, { description: 'Whether people can select text outside of fields' }),
    pointer: live.choice('auto', ['auto', 'always', 'never'], {
      description:
        'The mouse pointer. auto: while there is a mouse, as pages ask; always: pages cannot hide it',
    }),
    zoom: live.bool(false, { description: 'Whether people can zoom, by pinching or with the control key' }),
    allow_host_services: live.bool(false, {
      description: 'Whether pages reach services of the host at the other end of the USB cable',
    }),
    on_screen_keyboard: live.choice('auto', ['off', 'auto', 'on'], {
      description: 'auto: while there is a touch screen and no keyboard',
    }),
    keyboard_layouts: live.list(Type.Enum([...KEYBOARD_LAYOUTS]), KEYBOARD_LAYOUTS.length, {
      uniqueItems: true,
      description: 'Of the on-screen keyboard, which has a key to switch between them; empty: en',
    }),
  },
  {
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
    http: live.maybe(WebUrl, { description: 'Proxy for http: pages in mode `manual`' }),
    https: live.maybe(WebUrl, { description: 'Proxy for https: pages in mode `manual`' }),
    no_proxy: live.list(Type.String({ minLength: 1, maxLength: 253, pattern: '^[\\w.*:/-]+$' }), 64, {
      description: 'Hosts, domains with their subdomains, addresses and networks reached without the proxy',
      examples: [['intranet.example', '192.168.0.0/16']],
    }),
    pac_url: live.maybe(WebUrl, { description: 'Needed in mode `pac`' }),
  },
  {
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
