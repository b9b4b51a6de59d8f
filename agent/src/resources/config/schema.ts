import { type Static, type TSchema, Type } from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { BUNDLE_NAME, CONTROL, MAX_SCREEN_ID, ROTATIONS } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';
import { atBoot, group, live } from './fields.ts';
import { patchSchema } from './tree.ts';

/** Version of the document's shape; what a newer agent may add without a new one: docs/contract.md. */
export const CONFIG_SCHEMA = 1;

const Mode = Type.String({
  pattern: '^[1-9]\\d{1,4}x[1-9]\\d{1,4}@[1-9]\\d{0,2}(?:\\.\\d{1,3})?$',
  description: '<width>x<height>@<refresh>',
  examples: ['1920x1080@60'],
});
const WebUrl = Type.String({
  minLength: 8,
  maxLength: 8192,
  format: 'uri',
  pattern: `^[Hh][Tt][Tt][Pp][Ss]?://[^\\s${CONTROL}/?#][^\\s${CONTROL}]*$`,
  description: 'http: or https:',
});
const HostName = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: '^[0-9A-Za-z:](?:[0-9A-Za-z.:-]*[0-9A-Za-z])?$',
});
const Origin = Type.String({
  maxLength: 512,
  pattern: '^https?://[^\\s/?#@\\\\]+$',
  format: 'uri',
  description: 'Origin of a page: scheme, host and, where it is not the usual one, port',
  examples: ['https://kiosk.example', 'http://menu.localhost:8090'],
});
/** Text that people read: one line, not blank. Read in one pass: it meets text of any length. */
const label = (maxLength: number) => ({
  minLength: 1,
  maxLength,
  pattern: `^ *[^\\s${CONTROL}][^${CONTROL}]*$`,
});

/** WPA2 passphrase; shared by stations and the access point. */
const PASSPHRASE = '[ -~]{8,63}';

const id16 = (description?: string) =>
  Type.Integer({ minimum: 0, maximum: 0xffff, ...(description ? { description } : {}) });
const id8 = () => Type.Integer({ minimum: 0, maximum: 0xff });

export const WifiSsid = Type.String({
  minLength: 1,
  maxLength: 32,
  description: 'At most 32 bytes of UTF-8',
});
const NETWORK_PSK = {
  pattern: `^(?:${PASSPHRASE})?$`,
  description: 'WPA2 passphrase of 8 to 63 printable ASCII characters; empty for an open network',
};
const PRIORITY = { minimum: -1000, maximum: 1000, description: 'The highest in reach is chosen' };

/** One entry of `wifi.networks`, in the configuration and at `/wifi/networks`. */
export const WifiNetwork = Type.Object(
  {
    ssid: WifiSsid,
    psk: Type.String({ ...NETWORK_PSK, default: '' }),
    priority: Type.Integer({ ...PRIORITY, default: 0 }),
  },
  { $id: 'WifiNetwork', additionalProperties: false },
);
export type WifiNetwork = Static<typeof WifiNetwork>;

/** The same as a client sends it: without a `psk` the network is open, and without a `priority` it is 0. */
export const WifiNetworkInput = Type.Object(
  {
    ssid: WifiSsid,
    psk: Type.Optional(Type.String(NETWORK_PSK)),
    priority: Type.Optional(Type.Integer(PRIORITY)),
  },
  { $id: 'WifiNetworkInput', additionalProperties: false },
);
export const WifiPsk = Type.String({
  pattern: `^${PASSPHRASE}$`,
  description: '8 to 63 printable ASCII characters',
});
export const WifiBand = Type.Enum(['2.4', '5']);

/** `display.screens.<id>`: what differs on one output. */
const ScreenConfig = group('ScreenConfig', {
  rotation: live.maybe(Type.Enum([...ROTATIONS]), {
    description: 'null: as `display.rotation`. Live on the primary screen, reboot_required on others',
  }),
  forced_mode: atBoot.maybe(Mode, { description: 'null: as `display.forced_mode`' }),
  url: atBoot.maybe(WebUrl, { description: 'Shown at boot; null: the waiting page' }),
  browser: group('ScreenBrowserConfig', {
    backend: atBoot.maybe(Type.Enum(['wpe']), { description: 'null: as `browser.backend`' }),
  }),
});

const HidFilter = Type.Object(
  {
    vendorId: id16(),
    productId: id16(),
    usagePage: Type.Optional(id16()),
    usage: Type.Optional(id16()),
  },
  { $id: 'HidFilter', additionalProperties: false },
);
const SerialFilter = Type.Object(
  { usbVendorId: id16(), usbProductId: id16() },
  { $id: 'SerialFilter', additionalProperties: false },
);
const UsbFilter = Type.Object(
  {
    vendorId: id16(),
    productId: id16(),
    classCode: Type.Optional(id8()),
    subclass: Type.Optional(id8()),
    protocol: Type.Optional(id8()),
    serialNumber: Type.Optional(Type.String({ minLength: 1, maxLength: 126 })),
  },
  { $id: 'UsbFilter', additionalProperties: false },
);

/** The whole configuration (interface: Configuration; docs/contract.md). GET gives every field. */
export const Config = Type.Object(
  {
    schema: Type.Literal(CONFIG_SCHEMA, { default: CONFIG_SCHEMA, 'x-applied': 'live' }),
    device: group('DeviceConfig', {
      name: live.text('Vitrine', {
        ...label(63),
        description: 'The default may be set where the agent is started',
      }),
      timezone: live.text('UTC', {
        maxLength: 64,
        pattern: '^[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,2}$',
        description: 'Name of the IANA time zone database',
      }),
      ntp_servers: live.list(HostName, 8, { description: "Empty: the firmware's own list" }),
      health_interval_ms: live.int(5000, 500, 3_600_000, {
        description: 'Period of the `health` event while somebody is subscribed',
      }),
    }),
    display: group('DisplayConfig', {
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
    }),
    audio: group('AudioConfig', {
      output: atBoot.maybe(Type.String(label(128)), {
        description: 'One of `GET /audio` `outputs`; null: automatic',
      }),
      volume: live.int(80, 0, 100, { description: 'Percent' }),
      mute: live.bool(false),
    }),
    browser: group('BrowserConfig', {
      backend: atBoot.choice('wpe', ['wpe']),
      user_agent: atBoot.maybe(Type.String(label(512)), { description: "null: the browser's own" }),
      script_timeout_ms: live.int(10_000, 100, 600_000, {
        description: 'Bound of `POST /display/execute-js`',
      }),
      ignore_tls_errors: atBoot.bool(false, { description: 'Show pages whose certificate does not hold' }),
      memory_limit_mb: atBoot.maybe(Type.Integer({ minimum: 128, maximum: 16_384 }), {
        description: 'Of one page, in MiB; null: by the size of the memory',
      }),
      clear_data_on_boot: atBoot.bool(false, { description: 'Forget cookies and storage of pages at boot' }),
      remote_debugging: atBoot.bool(false),
      allow_host_services: live.bool(false, {
        description: 'Whether pages reach services of the host at the other end of the USB cable',
      }),
    }),
    proxy: group('ProxyConfig', {
      mode: atBoot.choice('none', ['none', 'manual', 'pac']),
      http: atBoot.maybe(WebUrl, { description: 'Proxy for http: pages in mode `manual`' }),
      https: atBoot.maybe(WebUrl, { description: 'Proxy for https: pages in mode `manual`' }),
      no_proxy: atBoot.list(Type.String({ minLength: 1, maxLength: 253, pattern: '^\\S+$' }), 64, {
        description: 'Hosts and domains reached without the proxy',
      }),
      pac_url: atBoot.maybe(WebUrl, { description: 'Needed in mode `pac`' }),
    }),
    ui: group('UiConfig', {
      enabled: live.bool(true, { description: 'Whether the management app is served at `/`' }),
    }),
    devices: group(
      'DevicesConfig',
      {
        origins: live.list(Origin, 64, { description: 'Pages that may reach devices at all' }),
        hid: group('HidConfig', { enabled: live.bool(false), allow: live.list(HidFilter, 64) }),
        serial: group('SerialConfig', { enabled: live.bool(false), allow: live.list(SerialFilter, 64) }),
        usb: group('UsbConfig', {
          enabled: live.bool(false),
          allow_driver_detach: live.bool(false, {
            description: 'A kernel driver may be detached, never HID, mass storage or the gadget',
          }),
          allow: live.list(UsbFilter, 64),
        }),
      },
      {
        description:
          "Which peripherals at the board's USB host ports the displayed page may reach; inert without such a port",
      },
    ),
    nfc: group('NfcConfig', {
      enabled: live.bool(false),
      backend: live.choice('auto', ['auto', 'pn532-i2c', 'pn532-spi', 'acr122u']),
      origins: live.list(Origin, 64, { description: 'Pages that may use NFC' }),
      i2c: group('NfcI2cConfig', { bus: live.int(1, 0, 255), address: live.int(0x24, 0x03, 0x77) }),
      spi: group('NfcSpiConfig', { bus: live.int(0, 0, 255), cs: live.int(0, 0, 255) }),
      poll: group('NfcPollConfig', { interval_ms: live.int(250, 50, 60_000) }),
      feedback: group('NfcFeedbackConfig', {
        on_detect: live.bool(true, { description: 'Light and sound when a tag is seen' }),
      }),
    }),
    wifi: group('WifiConfig', {
      enabled: live.bool(false, { description: 'Needs `wifi.country`' }),
      mode: live.choice('station', ['station', 'ap']),
      country: live.maybe(Type.String({ pattern: '^[A-Z]{2}$' }), { description: 'ISO 3166-1 alpha-2' }),
      networks: live.list(WifiNetwork, 64),
      ap: group('WifiApConfig', {
        ssid: live.maybe(WifiSsid, { description: 'null: `device.name`' }),
        psk: live.maybe(WifiPsk, { description: 'Needed to start an access point' }),
        band: live.choice('2.4', ['2.4', '5'], { description: 'GHz; `5` needs a dual-band radio' }),
        channel: live.int(0, 0, 196, { description: '0: the agent picks a channel without radar (non-DFS)' }),
      }),
    }),
    bluetooth: group('BluetoothConfig', {
      enabled: live.bool(false),
      name: live.maybe(Type.String(label(62)), { description: 'Adapter alias; null: `device.name`' }),
      discoverable: live.bool(false),
    }),
  },
  { $id: 'Config', additionalProperties: false },
);
export type Config = Static<typeof Config>;

/** Any subset of the tree; null puts a field, or a whole group, back to its default. */
export const ConfigPatch: TSchema = patchSchema(Config, {
  $id: 'ConfigPatch',
  description: 'RFC 7396 merge patch: arrays are replaced whole, null resets to the default',
});

const AppliedValue = Type.Enum(['live', 'reboot_required']);

export const PatchResult = Type.Object(
  {
    config: Config,
    applied: Type.Record(Type.String(), AppliedValue, {
      description: 'By dotted leaf path: in effect now, or kept now and in effect after the next boot',
    }),
  },
  { $id: 'ConfigPatchResult' },
);
export type PatchResult = Static<typeof PatchResult>;

export const configChanged = topic(
  'config_changed',
  Type.Object({
    paths: Type.Array(Type.String(), { description: 'Dotted leaf paths of the patch' }),
    config: Config,
  }),
  'After every successful PATCH /config',
);

export const getConfig = endpoint({
  method: 'GET',
  path: '/config',
  tag: 'Configuration',
  summary: 'The whole configuration',
  description:
    'Every field with the value that holds, set or default. Passphrases are in it as they were set.',
  status: 200,
  response: Config,
  errors: [],
});

export const patchConfig = endpoint({
  method: 'PATCH',
  path: '/config',
  tag: 'Configuration',
  summary: 'Change part of the configuration',
  description:
    'All or nothing: with one field that does not fit, nothing is written. Kept before it is answered, then applied.',
  body: ConfigPatch,
  status: 200,
  response: PatchResult,
  errors: ['screen_not_found', 'insufficient_storage', 'unavailable'],
});
