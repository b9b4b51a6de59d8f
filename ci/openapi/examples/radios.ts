/** Examples of the tags Wi-Fi, Bluetooth and NFC. */
import type { Json } from '../json.ts';
import type { OperationExamples } from './example.ts';

export const wifiStatus: Json = {
  enabled: true,
  mode: 'station',
  rfkill_blocked: false,
  country: 'DE',
  connection: {
    ssid: 'Office',
    bssid: '02:11:22:33:44:55',
    signal_dbm: -54,
    frequency_mhz: 5180,
    addresses: ['192.168.1.42'],
  },
  access_point: null,
  error: null,
};
const networks: Json = [{ ssid: 'Office', psk: 'correct horse battery', priority: 10 }];

const adapter = {
  address: '02:00:5E:10:00:01',
  name: 'Vitrine',
  powered: true,
  discovering: false,
  discoverable: false,
  pairing: null,
};
const keyboard = {
  address: '02:00:5E:10:00:02',
  name: 'Bluetooth Keyboard',
  paired: true,
  connected: true,
  trusted: true,
  rssi: null,
  icon: 'input-keyboard',
};
export const bluetoothState: Json = { adapter, devices: [keyboard] };

const reader_id = 'acr122u-1-1.2';
const tag_handle = 'JuklQ-ibZpy2AjM7-fGEJ-V6R7Ql1BInEoJZQQ';
/** The handle that an answer has for the next request. */
const nextHandle = 'Q8m2QI9Of_sC-HSLyO-3jfIMcSrMbF_TG3Vbkg';
const tag = {
  uid: '04A2B3C4D5E680',
  atqa: '0044',
  sak: '00',
  techs: ['ndef'],
  ndef: '0QENVQRleGFtcGxlLmNvbS8=',
};
const nfcReader: Json = {
  id: reader_id,
  backend: 'acr122u',
  present: true,
  capabilities: { techs: ['iso-dep', 'ndef'], has_led: true, has_buzzer: true },
  tags: [{ tag_handle, ...tag }],
};
export const nfcTag: Json = { reader_id, tag_handle, ...tag };
export const nfcTagRemoved: Json = { reader_id, tag_handle };
export const nfcReaderConnected: Json = { reader_id, backend: 'acr122u' };
export const nfcReaderDisconnected: Json = { reader_id };

export const radios: OperationExamples = {
  getWifi: { response: wifiStatus },
  scanWifi: {
    response: [
      {
        ssid: 'Office',
        bssid: '02:11:22:33:44:55',
        signal_dbm: -54,
        frequency_mhz: 5180,
        security: 'wpa2',
      },
    ],
  },
  getWifiNetworks: { response: networks },
  setWifiNetworks: { request: networks, response: networks },
  connectWifi: { request: { ssid: 'Office' }, response: wifiStatus },
  setAccessPoint: {
    request: { active: true, ap: { ssid: 'Vitrine', psk: 'correct horse battery' } },
    response: {
      enabled: true,
      mode: 'ap',
      rfkill_blocked: false,
      country: 'DE',
      connection: null,
      access_point: { ssid: 'Vitrine', channel: 6, frequency_mhz: 2437, stations: 0 },
      error: null,
    },
  },
  getBluetooth: { response: adapter },
  powerBluetooth: { request: { powered: true }, response: adapter },
  scanBluetooth: { request: { active: true }, response: { ...adapter, discovering: true } },
  getBluetoothDevices: { response: [keyboard] },
  pairBluetooth: { request: { address: keyboard.address }, response: keyboard },
  removeBluetooth: { request: { address: keyboard.address }, response: [] },
  getNfcReaders: { response: [nfcReader] },
  transceiveNfc: {
    // SELECT of the NDEF application of a type 4 tag.
    request: { reader_id, tag_handle, apdu: 'AKQEAAfSdgAAhQEBAA==' },
    response: { response: '', sw: '9000', tag_handle: nextHandle },
  },
  writeNdef: {
    request: { reader_id, tag_handle, message: '0QENVQRleGFtcGxlLmNvbS8=' },
    response: { written_bytes: 17, tag_handle: nextHandle },
  },
  giveNfcFeedback: { request: { reader_id, led: 'green', buzzer_ms: 100 }, response: nfcReader },
};
