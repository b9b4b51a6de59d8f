/** The uploaded certificates of the device, and changes of them. */
import { until } from '../../app/actions.ts';
import { connection } from '../../app/device-state.ts';
import { Resource } from '../../app/resource.ts';
import type { Certificates } from './certificate-words.ts';
import { bodyOf, type Part } from './pem-files.ts';

/** For the state to follow after the device has answered. */
const RESULT_MS = 15_000;
/** The device tries the certificate, which takes some seconds with a long key. */
const UPLOAD_MS = 60_000;
export const PEM_TYPE = 'application/x-pem-file';

export const certificates = new Resource<Certificates>(connection, {
  load: (client) => client.get('/files/certificates'),
  refreshOn: ['certificates_changed'],
});

const headers = { 'content-type': PEM_TYPE };
const options = { headers, timeoutMs: UPLOAD_MS };

/** Waits for a state of the certificates. */
async function becomes(condition: (state: Certificates) => boolean): Promise<void> {
  await certificates.refresh();
  await until(() => {
    const state = certificates.value.value;
    return state !== undefined && condition(state);
  }, RESULT_MS);
}

/** Uses a certificate with its key and chain for HTTPS. */
export async function putServer(parts: readonly Part[]): Promise<void> {
  await connection.client.upload('/files/certificates/server', textOf(parts), options);
  const sent = new Set(parts.map(({ text }) => bodyOf(text)));
  await becomes(({ server: [leaf] }) => leaf !== undefined && sent.has(bodyOf(leaf.pem)));
}

/** Ends HTTPS. @param isOwn this page's connection ends with it, so no result can be seen */
export async function removeServer(isOwn: boolean): Promise<void> {
  await connection.client.delete('/files/certificates/server');
  if (!isOwn) await becomes(({ server }) => server.length === 0);
}

/** Trusts authorities in addition to those that are trusted already. */
export async function addAuthorities(parts: readonly Part[]): Promise<void> {
  await putAuthorities([...(await currentAuthorities()), ...parts.map(({ text }) => text)]);
}

/** @param pem of the authority, as the device has it */
export async function removeAuthority(pem: string): Promise<void> {
  const rest = (await currentAuthorities()).filter((one) => one !== pem);
  if (rest.length > 0) await putAuthorities(rest);
  else await removeAllAuthorities();
}

export async function removeAllAuthorities(): Promise<void> {
  await connection.client.delete('/files/certificates/ca');
  await becomes(({ ca }) => ca.length === 0);
}

/** The authorities as they are now on the device, as PEM: an upload replaces them all. */
async function currentAuthorities(): Promise<string[]> {
  await certificates.refresh();
  if (certificates.error.value !== undefined) throw certificates.error.value;
  return (certificates.value.value?.ca ?? []).map(({ pem }) => pem);
}

/** Trusts exactly these authorities besides the built-in ones. */
async function putAuthorities(pems: readonly string[]): Promise<void> {
  await connection.client.upload('/files/certificates/ca', pems.join(''), options);
  const wanted = new Set(pems.map(bodyOf));
  await becomes(({ ca }) => ca.length === wanted.size && ca.every(({ pem }) => wanted.has(bodyOf(pem))));
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join('');
}
