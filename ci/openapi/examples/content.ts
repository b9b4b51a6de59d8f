/** Examples of the tags Content, Files, Update and Operations. */
import type { Json } from '../json.ts';
import { NOW, type OperationExamples } from './example.ts';

const operation_id = '5f0c8f3e-7a57-4a43-9d0b-2f6f4c1f8e12';
const common = { operation_id, kind: 'content_upload', name: 'menu', bytes_total: 4_194_304 };

/** The archive has arrived and was verified. */
export const operation: Json = { ...common, state: 'running', progress: 0.98, bytes_done: 4_194_304 };

const update = { operation_id, kind: 'update_install', name: null, bytes_total: 188_743_680 };

export const updateStatus: Json = {
  active_slot: 'a',
  slots: { a: { version: '0.2.0', state: 'good' }, b: { version: '0.3.0', state: 'unknown' } },
  pending: '0.3.0',
  last_result: {
    version: '0.2.0',
    slot: 'a',
    outcome: 'success',
    reason: null,
    ts: '2026-11-20T08:30:00.000Z',
    reference: null,
  },
  hawkbit: {
    enabled: false,
    connected: false,
    last_poll_ts: null,
    next_poll_ts: null,
    error: null,
    action: null,
  },
};

export const content: OperationExamples = {
  getContent: {
    response: {
      bundles: [
        {
          name: 'menu',
          size_bytes: 4_194_304,
          sha256: '398991009da1d251792eb353a0b7b185bc83e71e12e489e73228b554fc6cebc5',
          created: NOW,
          active: true,
        },
      ],
      disk: { free_bytes: 11_937_845_248, total_bytes: 12_618_563_584 },
    },
  },
  uploadBundle: { path: { name: 'menu' }, response: operation },
  checkBundle: { path: { name: 'menu' }, response: { ok: true, message: '' } },
  deleteBundle: { path: { name: 'menu' } },
  getOperation: {
    path: { id: operation_id },
    response: { ...common, state: 'done', progress: 1, bytes_done: 4_194_304 },
  },
  getUpdate: { response: updateStatus },
  uploadUpdate: { response: { ...update, state: 'running', progress: 0.5, bytes_done: 188_743_680 } },
  applyUpdate: { response: {} },
  getCertificates: {
    response: {
      server: [
        {
          subject: 'CN=vitrine.local',
          issuer: 'CN=vitrine.local',
          names: ['vitrine.local', '10.55.77.1'],
          valid_from: '2026-11-28T11:36:03.000Z',
          valid_to: '2028-11-27T11:36:03.000Z',
          fingerprint_sha256:
            '3D:28:24:1E:8B:E9:1E:19:8E:6C:A9:1B:CB:F7:6D:47:59:8F:29:BA:98:45:32:32:E0:A7:70:4C:41:BB:18:D1',
          pem: [
            '-----BEGIN CERTIFICATE-----',
            'MIIBpjCCAUugAwIBAgIUaInUsGLVyRwYEg5FCRk/iRi7CQowCgYIKoZIzj0EAwIw',
            'GDEWMBQGA1UEAwwNdml0cmluZS5sb2NhbDAeFw0yNjExMjgxMTM2MDNaFw0yODEx',
            'MjcxMTM2MDNaMBgxFjAUBgNVBAMMDXZpdHJpbmUubG9jYWwwWTATBgcqhkjOPQIB',
            'BggqhkjOPQMBBwNCAAS/i0vpxNjgox1MufsFN7Db84p5xE5Xrb16/RnMVnaogCu0',
            '3RbRegRR0nz1XhOo9LTq3EzewFf6EEyGDGkryaiAo3MwcTAdBgNVHQ4EFgQUKRwl',
            'jR2+SiUJZH2pZpWOI5uENzswHwYDVR0jBBgwFoAUKRwljR2+SiUJZH2pZpWOI5uE',
            'NzswDwYDVR0TAQH/BAUwAwEB/zAeBgNVHREEFzAVgg12aXRyaW5lLmxvY2FshwQK',
            'N00BMAoGCCqGSM49BAMCA0kAMEYCIQDwr4X3d4mMHEFo4P2YFf4LDTubJJlK0XRK',
            'eWvsxtpDPgIhANZ8+Si1mzDMwiXhKhiufygjKq6eqxQEEC04Bdlbh6jk',
            '-----END CERTIFICATE-----',
            '',
          ].join('\n'),
        },
      ],
      ca: [],
      problems: [],
    },
  },
};
