/** Examples of frames on the WebSocket and the serial link, and of the events in them. */
import { BASE_PATH } from '../../../agent/src/contract/api.ts';
import type { Json } from '../json.ts';
import { operation, updateStatus } from './content.ts';
import { configChange, health, logRecord, network } from './device.ts';
import { displayState, pageStatus } from './display.ts';
import { NOW } from './example.ts';
import { peripheralsState } from './peripherals.ts';
import {
  bluetoothState,
  nfcReaderConnected,
  nfcReaderDisconnected,
  nfcTag,
  nfcTagRemoved,
  wifiStatus,
} from './radios.ts';

/** The payload of an event, by topic. */
export const payloads: Readonly<Record<string, Json>> = {
  display_state: displayState,
  page_message: { order: 17 },
  page_channel: pageStatus,
  page_console: {
    level: 'error',
    text: 'ReferenceError: Can’t find variable: menu',
    source: 'https://example.com/app.js',
    line: 12,
    left_out: 0,
  },
  operation,
  health,
  input_raw: { device: 'event3', slot: 0, x: 0.5, y: 0.25, pressed: true, ts: NOW },
  log: logRecord,
  splash_changed: { kind: 'boot' },
  config_changed: configChange,
  network_changed: network,
  nfc_tag: nfcTag,
  nfc_tag_removed: nfcTagRemoved,
  nfc_reader_connected: nfcReaderConnected,
  nfc_reader_disconnected: nfcReaderDisconnected,
  wifi_changed: wifiStatus,
  bluetooth_changed: bluetoothState,
  peripherals_changed: peripheralsState,
  update_changed: updateStatus,
  certificates_changed: { kind: 'server' },
};

/** Examples of the frames that are no events, by the name of their schema. */
export const frameExamples: Readonly<Record<string, readonly Json[]>> = {
  SubscribeFrame: [
    { type: 'subscribe', topics: ['display_state', 'operation'] },
    { type: 'subscribe', topics: ['display_state', 'network_changed'], snapshot: true },
  ],
  UnsubscribeFrame: [{ type: 'unsubscribe', topics: ['operation'] }],
  SubscribedFrame: [{ type: 'subscribed', topics: ['display_state', 'operation'] }],
  PageMessageFrame: [{ type: 'page_message', payload: { text: 'Table 4 is free' } }],
  ErrorFrame: [{ type: 'error', error: { code: 'bad_frame', message: 'The line is not a JSON object.' } }],
  HelloRequestFrame: [{ type: 'hello' }],
  HelloFrame: [
    {
      type: 'hello',
      serial: '10000000a3f1c27e',
      api: 'v1',
      name: 'Vitrine',
      model: 'Raspberry Pi 4 Model B Rev 1.5',
      version: '0.2.0',
    },
  ],
  RequestFrame: [
    { id: 1, type: 'request', method: 'GET', path: `${BASE_PATH}/page/status` },
    {
      ...{ id: 2, type: 'request', method: 'POST', path: `${BASE_PATH}/display/navigate` },
      body: { url: 'https://example.com/' },
    },
    { id: 'upload', type: 'request', method: 'PUT', path: `${BASE_PATH}/content/menu`, body_b64: '' },
  ],
  // The archive of a bundle begins with the signature of a zip file.
  RequestChunkFrame: [{ id: 'upload', type: 'request_chunk', seq: 0, last: false, data_b64: 'UEsDBA==' }],
  ResponseFrame: [
    { id: 1, type: 'response', status: 200, body: pageStatus },
    { id: 'upload', type: 'response', status: 202, body: operation },
  ],
  ShellFrame: [{ type: 'shell' }],
};
