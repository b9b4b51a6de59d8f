/** Examples of the tags Display, Page channel and Input. */
import type { Json } from '../json.ts';
import type { OperationExamples } from './example.ts';

const screen = { screen_on: true, rotation: 0, resolution: '1920x1080@60' };
const url = 'https://example.com/';

export const displayState: Json = {
  mode: 'url',
  url,
  target_url: url,
  ...screen,
  loading: false,
  error: null,
};
/** The answer of a request that does not wait for the page. */
const loading: Json = { mode: 'url', url, target_url: url, ...screen, loading: true, error: null };
export const pageStatus: Json = { open: true };

export const display: OperationExamples = {
  getDisplay: { response: displayState },
  getScreens: {
    response: [
      {
        id: 'HDMI-A-1',
        primary: true,
        connected: true,
        resolution: '1920x1080@60',
        modes: ['1920x1080@60', '1920x1080@50', '1280x720@60'],
        rotation: 0,
        make: 'Dell Inc.',
        model: 'DELL P2422H',
      },
    ],
  },
  navigate: { request: { url }, response: loading },
  showBundle: {
    request: { name: 'menu' },
    response: { mode: 'bundle', bundle: 'menu', ...screen, loading: true, error: null },
  },
  showWaitingPage: { response: { mode: 'waiting', ...screen, loading: true, error: null } },
  reload: { response: loading },
  restartBrowser: { response: loading },
  clearData: { response: loading },
  switchScreen: { request: { on: false }, response: displayState },
  executeJs: { request: { script: 'document.title' }, response: { result: 'Example Domain' } },
  getPageStatus: { response: pageStatus },
  sendPageMessage: { request: { text: 'Table 4 is free' }, response: pageStatus },
  injectInput: {
    request: {
      events: [
        { type: 'click', x: 0.5, y: 0.25 },
        { type: 'text', text: 'Hello' },
        { type: 'key', key: 'Enter' },
      ],
    },
  },
  getInputDevices: {
    response: [
      {
        id: 'event3',
        name: 'ILITEK ILITEK-TP',
        kind: 'touch',
        vendor_id: 0x222a,
        product_id: 0x0001,
        node: '/dev/input/event3',
      },
    ],
  },
};
