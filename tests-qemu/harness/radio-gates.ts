import assert from 'node:assert/strict';
import { endpoints } from '../../agent/src/resources/contract.ts';
import { field } from '../../testing/field.ts';
import type { Device } from './device.ts';

const ADDRESS = { address: '00:00:00:00:00:01' };
const TAG = { reader_id: 'no such reader', tag_handle: 'no such tag' };
type Surface = 'wifi' | 'bluetooth' | 'nfc';
/** One valid request for each endpoint of the radios. */
const REQUESTS: Readonly<Record<Surface, readonly (readonly [string, unknown?])[]>> = {
  wifi: [
    ['GET /wifi'],
    ['POST /wifi/scan'],
    ['GET /wifi/networks'],
    ['PUT /wifi/networks', []],
    ['POST /wifi/connect', { ssid: 'no such network' }],
    ['POST /wifi/ap', { active: false }],
  ],
  bluetooth: [
    ['GET /bluetooth'],
    ['POST /bluetooth/power', { powered: true }],
    ['POST /bluetooth/scan', { active: false }],
    ['GET /bluetooth/devices'],
    ['POST /bluetooth/pair', ADDRESS],
    ['POST /bluetooth/remove', ADDRESS],
  ],
  nfc: [
    ['GET /nfc/readers'],
    ['POST /nfc/transceive', { ...TAG, apdu: 'AKQEAA==' }],
    ['POST /nfc/ndef/write', { ...TAG, message: '' }],
    ['POST /nfc/reader/feedback', { reader_id: TAG.reader_id }],
  ],
};

/** Asserts that the table above has every endpoint of the contract. */
function requireAll(surface: Surface): void {
  const declared = endpoints.filter(({ path }) => path.split('/')[1] === surface);
  const names = declared.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(REQUESTS[surface].map(([name]) => name).sort(), names.sort());
}

/**
 * Tests one state of the gate on every endpoint of a radio, over REST and serial.
 * @param code the error that closes the gate; undefined: it is open
 */
export async function checkGate(device: Device, surface: Surface, code: string | undefined): Promise<void> {
  requireAll(surface);
  const serial = await device.serial();
  try {
    for (const [name, json] of REQUESTS[surface]) {
      const [method = '', path = ''] = name.split(' ');
      const answers = [
        await device.http(method, path, { json }),
        await serial.request(method, path, { json }),
      ];
      for (const { status, body } of answers) {
        const text = `${name}: ${status} ${JSON.stringify(body)}`;
        const isClosed = /_(?:unsupported|disabled)$/.test(String(field(body, 'error.code')));
        if (code === undefined) assert.ok(status < 500 && !isClosed, text);
        else assert.deepEqual([status, field(body, 'error.code')], [503, code], text);
      }
      assert.equal(answers[0]?.status, answers[1]?.status, name);
    }
  } finally {
    await serial.close();
  }
}
