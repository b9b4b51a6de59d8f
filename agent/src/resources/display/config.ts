/** Configuration groups `display`, `browser` and `proxy` (interface: Configuration). */
import { Type } from 'typebox';
import { BUNDLE_NAME, MAX_SCREEN_ID, ROTATIONS } from '../../contract/shared.ts';
import { label, pointerKey, urlRules, WebUrl } from '../config/field-types.ts';
import { atBoot, live, section } from '../config/fields.ts';
import { configGroup, type GroupValue } from '../config/group.ts';

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
    resume_on_boot: atBoot.bool(false, { description: 'At boot, show again what was shown last' }),
    boot_bundle: atBoot.maybe(Type.String({ pattern: BUNDLE_NAME }), {
      description: 'Bundle shown at boot; it may be uploaded later. Never navigates the running display',
    }),
    screens: Type.Record(Type.String(), ScreenConfig, {
      maxProperties: 16,
      propertyNames: { minLength: 1, maxLength: MAX_SCREEN_ID },
      default: {},
      description: 'By id of `GET /display/screens`',
    }),
  },
  {
    rules: ({ screens }) =>
      urlRules(
        Object.fromEntries(
          Object.entries(screens).map(([id, { url }]) => [`/screens/${pointerKey(id)}/url`, url]),
        ),
      ),
  },
);

export type DisplayConfig = GroupValue<typeof displayConfig>;

export const browserConfig = configGroup('browser', 'BrowserConfig', {
  backend: atBoot.choice('wpe', ['wpe']),
  user_agent: atBoot.maybe(Type.String(label(512)), { description: "null: the browser's own" }),
  script_timeout_ms: live.int(10_000, 100, 600_000, { description: 'Bound of `POST /display/execute-js`' }),
  ignore_tls_errors: atBoot.bool(false, { description: 'Show pages whose certificate does not hold' }),
  memory_limit_mb: atBoot.maybe(Type.Integer({ minimum: 128, maximum: 16_384 }), {
    description: 'Of one page, in MiB; null: by the size of the memory',
  }),
  clear_data_on_boot: atBoot.bool(false, { description: 'Forget cookies and storage of pages at boot' }),
  remote_debugging: atBoot.bool(false),
  allow_host_services: live.bool(false, {
    description: 'Whether pages reach services of the host at the other end of the USB cable',
  }),
});

export type BrowserConfig = GroupValue<typeof browserConfig>;

export const proxyConfig = configGroup(
  'proxy',
  'ProxyConfig',
  {
    mode: atBoot.choice('none', ['none', 'manual', 'pac']),
    http: atBoot.maybe(WebUrl, { description: 'Proxy for http: pages in mode `manual`' }),
    https: atBoot.maybe(WebUrl, { description: 'Proxy for https: pages in mode `manual`' }),
    no_proxy: atBoot.list(Type.String({ minLength: 1, maxLength: 253, pattern: '^\\S+$' }), 64, {
      description: 'Hosts and domains reached without the proxy',
    }),
    pac_url: atBoot.maybe(WebUrl, { description: 'Needed in mode `pac`' }),
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
