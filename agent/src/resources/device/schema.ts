import type { Static } from 'typebox';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { defineError } from '../../contract/errors.ts';
import { matching, Nothing, Nullable, Timestamp } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';

export const confirmMismatch = defineError(
  'confirm_mismatch',
  400,
  'The confirmation is not the device serial.',
);

/** Measured on the running system, not derived from the board's name. */
export const Capabilities = Type.Object({
  h264_hw: Type.Boolean({ description: 'H.264 is decoded in hardware' }),
  hevc_hw: Type.Boolean({ description: 'HEVC is decoded in hardware' }),
  touch_present: Type.Boolean({ description: 'A touch screen is connected' }),
  wifi: Type.Boolean({ description: 'A Wi-Fi radio is present' }),
  bluetooth: Type.Boolean({ description: 'A Bluetooth radio is present' }),
});
export type Capabilities = Static<typeof Capabilities>;

/** What the device is (`GET /device`). */
export const Device = Type.Object(
  {
    serial: Type.String({
      description:
        "The hardware's serial number (device tree, QEMU or SMBIOS). Hardware without one: an identifier of the " +
        'installation, derived from its machine-id. A factory reset must be confirmed with it',
    }),
    name: Type.String({ description: '`device.name` of the configuration' }),
    model: Type.String(),
    model_profile: Type.String({
      description: 'Board profile, for example `virt`; `generic` is any other computer',
    }),
    version: Type.String({ description: 'Firmware version' }),
    slot: Type.Enum(['a', 'b'], { description: 'The active boot slot' }),
    api: Type.String({ description: '`v1`' }),
    capabilities: Capabilities,
  },
  { $id: 'Device' },
);
export type Device = Static<typeof Device>;

/** The health report (`GET /device/health`, topic `health`). */
export const Health = Type.Object(
  {
    ts: Timestamp,
    uptime_s: Type.Number(),
    throttled: Nullable(
      Type.Boolean({
        description: 'The processor is throttled now, by heat or low power. Raspberry Pi only',
      }),
    ),
    undervoltage: Nullable(
      Type.Boolean({ description: 'The supply voltage is too low now. Raspberry Pi only' }),
    ),
    temperature_c: Nullable(Type.Number({ description: 'Temperature of the processor in °C' })),
    load_1m: Type.Number(),
    memory: Type.Object({
      total_bytes: Type.Integer(),
      available_bytes: Nullable(Type.Integer()),
    }),
    disk: Type.Object(
      { total_bytes: Nullable(Type.Integer()), free_bytes: Nullable(Type.Integer()) },
      { description: 'The data partition' },
    ),
    browser: Type.Object({
      running: Type.Boolean(),
      restarts: Type.Integer({
        minimum: 0,
        description: 'Restarts since the agent started, requested ones included',
      }),
      pid: Nullable(Type.Integer()),
      rss_bytes: Nullable(
        Type.Integer({ description: 'Memory of the browser and its processes, without page cache' }),
      ),
      rss_trend_bytes_per_h: Nullable(
        Type.Integer({ description: 'Its change per hour over the last hour; null in the first 10 minutes' }),
      ),
      web_processes: Nullable(Type.Integer({ description: 'Processes that run pages' })),
      web_process_limit: Type.Integer({
        description:
          'One per 200 MiB of memory, 4 to 16. With more processes, or with more than 60 % of the memory, the browser is ' +
          'restarted: when a host asks for another page, while the screen is off, while the waiting page is shown, and at ' +
          'once with more than twice the limit; at most every 10 minutes',
      }),
      memory_restarts: Type.Integer({ description: 'Restarts because of memory since the agent started' }),
    }),
    agent: Type.Object({
      rss_bytes: Type.Integer(),
      event_loop_p99_ms: Type.Number({
        description: 'Delay of the event loop, 99th percentile of the last minute',
      }),
    }),
    time_synced: Nullable(Type.Boolean({ description: 'The clock was set from a time server since boot' })),
    problems: Type.Array(Type.String(), {
      description:
        'Sentences for an operator, for example about a damaged configuration or a rollback. The data partition is ' +
        'tried by writing a byte, at most once a minute, so one that has become read-only is reported',
    }),
  },
  { $id: 'Health', description: 'A value that the board cannot read is null' },
);
export type Health = Static<typeof Health>;

/** From the lowest to the highest. */
export const LOG_LEVELS = ['debug', 'info', 'warning', 'error'] as const;

/** One record of the system's log. */
export const LogRecord = Type.Object(
  {
    ts: Timestamp,
    level: Type.Enum([...LOG_LEVELS]),
    source: Type.String({ description: 'The program that logged; `vitrine-agent` is the agent' }),
    message: Type.String(),
    cursor: Type.String({
      description: 'Position in the log; pass it as `since` to continue after this record',
    }),
  },
  { $id: 'LogRecord' },
);
export type LogRecord = Static<typeof LogRecord>;

export const healthSampled = topic('health', Health, 'Periodically while subscribed, every 5 s by default', {
  mayBeDropped: true,
  isState: true,
});
export const logWritten = topic('log', LogRecord, 'Live log tail', { mayBeDropped: true });

const ISO_TIME = '\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d{1,6})?(?:Z|[+-]\\d{2}:\\d{2})';
const CURSOR = 's=[0-9a-f]{32}(?:;[a-z]=[0-9a-f]{1,32}){1,8}';

const LogsQuery = Type.Object(
  {
    since: Type.Optional(
      Type.String({
        ...matching(
          `^(?:${ISO_TIME}|${CURSOR})$`,
          'must be an ISO time with its zone, such as 2026-11-28T08:00:00Z, or the cursor of a record',
        ),
        description: 'ISO 8601 time, or the `cursor` of a record',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    level: Type.Optional(Type.Enum([...LOG_LEVELS], { description: 'The lowest level' })),
    source: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'Only records of this program' }),
    ),
  },
  { additionalProperties: false },
);
export type LogsQuery = Static<typeof LogsQuery>;

const read = { method: 'GET', tag: 'Device', status: 200 } as const;
const action = { method: 'POST', tag: 'Device', status: 202, response: Nothing } as const;

export const getDevice = endpoint({
  ...read,
  path: '/device',
  summary: 'Identity and capabilities of the device',
  description:
    'Includes firmware version and boot slot. The capabilities are detected on the running system.',
  response: Device,
  errors: [],
});

export const getHealth = endpoint({
  ...read,
  path: '/device/health',
  summary: 'Health snapshot',
  description:
    'Current temperature, load, memory, disk, browser and agent values. A value that the board cannot read is null.',
  response: Health,
  errors: [],
});

export const getMetrics = endpoint({
  ...read,
  path: '/metrics',
  summary: 'Health for Prometheus',
  description:
    'The numbers of `GET /device/health` as OpenMetrics text, with the prefix `vitrine_`, and `vitrine_info` with serial, ' +
    'name, model, version and slot. What the board cannot read is left out.',
  download: {
    contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    description: 'OpenMetrics text',
  },
  errors: [],
});

export const getLogs = endpoint({
  ...read,
  path: '/device/logs',
  summary: 'Log records, oldest first',
  description:
    'With `since`, the first `limit` records after a cursor (exclusive) or from a time on (inclusive). Without it, the ' +
    'newest `limit` records. `level` and `source` leave others out before they are counted. 400 for a time that does not ' +
    'exist (30 February, 24:00), and for a cursor whose record is not in the log, or no longer: continue with a time ' +
    'instead. When nothing reads the output of the agent for a while, the agent drops records and logs how many.',
  query: LogsQuery,
  response: Type.Array(LogRecord),
  errors: ['unavailable'],
});

export const reboot = endpoint({
  ...action,
  path: '/device/reboot',
  summary: 'Reboot cleanly',
  description:
    'The response is sent first. Applies the settings that were reported as `reboot_required`. 409 `conflict` while an update is being installed.',
  errors: ['conflict', 'unavailable'],
});

export const shutdown = endpoint({
  ...action,
  path: '/device/shutdown',
  summary: 'Power off cleanly',
  description:
    'The response is sent first. 503 `unavailable` if the system cannot be powered off, 409 `conflict` while an update is being installed.',
  errors: ['conflict', 'unavailable'],
});

export const factoryReset = endpoint({
  ...action,
  path: '/device/factory-reset',
  summary: 'Wipe the data partition to defaults and reboot',
  description:
    'The response is sent first. The reset is recorded on the data partition, and the next boot creates the file system ' +
    'again before anything uses it, also after a power cut: configuration, content, certificates, what pages have stored ' +
    'and the log are lost, and both slots stay as they are. If the partition could not be used at this boot, its ' +
    'beginning is erased instead. `confirm` must be the `serial` of the device; anything else gives `confirm_mismatch`. ' +
    '409 `conflict` while an update is being installed; 503 `unavailable` without a data partition, while it is ' +
    'read-only, and on a system that was not booted from an image of this firmware; 507 if there is no space for the record.',
  body: Type.Object(
    { confirm: Type.String({ description: 'The device serial' }) },
    { additionalProperties: false },
  ),
  errors: [confirmMismatch, 'conflict', 'unavailable', 'insufficient_storage'],
});
