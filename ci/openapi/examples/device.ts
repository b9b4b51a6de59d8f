/** Examples of the tags Device, Configuration and Audio. */

import { withDefaults } from '../../../agent/src/resources/config/tree.ts';
import { configuration } from '../../../agent/src/resources/contract.ts';
import type { Json, JsonObject } from '../json.ts';
import { NOW, type OperationExamples } from './example.ts';

const PATCH = { display: { rotation: 90 }, browser: { languages: ['de-CH', 'de'] } };

/** The whole configuration with the default of every field, and a patch merged into it. */
function configWith(patch: JsonObject): JsonObject {
  const config: JsonObject = JSON.parse(JSON.stringify(withDefaults(configuration.Config, patch)));
  return config;
}

export const network: Json = {
  hostname: 'vitrine',
  interfaces: [
    { name: 'usb0', addresses: ['10.55.77.1', 'fe80::48b0:2dff:fe1a:7c01'] },
    { name: 'wlan0', addresses: ['192.168.1.42'] },
  ],
};

export const health: Json = {
  ts: NOW,
  uptime_s: 86_412.3,
  throttled: false,
  undervoltage: false,
  temperature_c: 51.6,
  load_1m: 0.42,
  memory: { total_bytes: 1_972_244_480, available_bytes: 1_203_265_536 },
  disk: { total_bytes: 12_618_563_584, free_bytes: 11_937_845_248 },
  browser: {
    running: true,
    restarts: 0,
    pid: 611,
    rss_bytes: 301_989_888,
    rss_trend_bytes_per_h: 40_960,
    web_processes: 1,
    web_process_limit: 9,
    memory_restarts: 0,
  },
  agent: { rss_bytes: 68_157_440, event_loop_p99_ms: 1.2 },
  time_synced: true,
  problems: [],
};

export const logRecord: Json = {
  ts: NOW,
  level: 'info',
  source: 'vitrine-agent',
  message: 'the page is loaded',
  cursor: 's=6d3b8f0c2a9e4e57b1f04c8d7a6e5f31;i=2f4a;b=91c7a2f04de84b0e8d4c6f7b5a3e2d10',
};

/** What `config_changed` carries after the patch of the example. */
export const configChange: Json = {
  paths: ['display.rotation', 'browser.languages'],
  config: configWith(PATCH),
};

export const device: OperationExamples = {
  getDevice: {
    response: {
      serial: '10000000a3f1c27e',
      name: 'Vitrine',
      model: 'Raspberry Pi 4 Model B Rev 1.5',
      model_profile: 'rpi4',
      version: '0.2.0',
      slot: 'a',
      api: 'v1',
      capabilities: { h264_hw: true, hevc_hw: true, touch_present: true, wifi: true, bluetooth: true },
    },
  },
  getHealth: { response: health },
  getLogs: { response: [logRecord] },
  reboot: { response: {} },
  shutdown: { response: {} },
  factoryReset: { request: { confirm: '10000000a3f1c27e' }, response: {} },
  getNetwork: { response: network },
  getConfig: { response: configWith({}) },
  patchConfig: {
    request: PATCH,
    response: {
      config: configWith(PATCH),
      applied: { 'display.rotation': 'live', 'browser.languages': 'live' },
    },
  },
  getAudio: { response: { output: 'HDMI', outputs: ['HDMI', 'Headphones'], volume: 80, mute: false } },
  setAudio: {
    request: { volume: 40 },
    response: { output: 'HDMI', outputs: ['HDMI', 'Headphones'], volume: 40, mute: false },
  },
};
