import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { field } from '../../testing/field.ts';
import type { Device } from './device.ts';

const PEM = { 'content-type': 'application/x-pem-file' };
/** Time limit for a response including the TLS handshake (RSA) on a busy emulator, in ms. */
export const TRY_MS = 60_000;

/** Uploads `pem` as certificate authorities or as server certificate, and returns the response. */
export async function putPem(device: Device, which: 'ca' | 'server', pem: string) {
  return await device.http('PUT', `/files/certificates/${which}`, { raw: pem, headers: PEM });
}

/** Like {@link putPem}, but fails when the upload is rejected. */
export async function putCertificate(device: Device, which: 'ca' | 'server', pem: string): Promise<void> {
  const answer = await putPem(device, which, pem);
  assert.equal(answer.status, 204, answer.bytes.toString());
}

/** GET /device over HTTPS, with the certificate verified against `ca`. Returns serial number and certificate name. */
export async function getDeviceOverTls(
  device: Device,
  ca: string,
): Promise<{ serial: unknown; name: unknown }> {
  const call = request(`${device.httpsOrigin}/api/v1/device`, {
    ca,
    agent: false,
    signal: AbortSignal.timeout(TRY_MS),
  });
  const names: unknown[] = [];
  call.on('socket', (socket) => {
    const tls = socket as TLSSocket; // what an https request's socket is
    tls.once('secureConnect', () => names.push(tls.getPeerCertificate().subject.CN));
  });
  call.end();
  const [response] = await once(call, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { serial: field(JSON.parse(text), 'serial'), name: names[0] };
}
