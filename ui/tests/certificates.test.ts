/** The view "Certificates" with real certificates: what is done by clicking is confirmed at the device and its files. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { authority, certificate } from '../../testing/make-certificates.ts';
import {
  checkAccessibility,
  checkTargets,
  checkWidth,
  LANGUAGES,
  Stage,
  savePicture,
  THEMES,
  WIDTHS,
  waitForView,
} from './stage.ts';

const root = authority('Shop Root');
const other = authority('Other Root');
const own = certificate({ name: 'lobby', issuer: root });
const elsewhere = certificate({ name: 'elsewhere', extensions: ['subjectAltName=DNS:elsewhere.example'] });

let stage: Stage;
before(async () => {
  stage = await Stage.create();
});
after(() => stage.close());

const card = (page: Page, title: RegExp): Locator => page.locator('.card', { has: page.getByText(title) });
const serverCard = (page: Page) => card(page, /^Certificate of the device/);
const authoritiesCard = (page: Page) => card(page, /^Trusted authorities/);

/** Chooses a file as a person does, without the dialog of the system. */
async function choose(place: Locator, name: string, content: string | Buffer): Promise<void> {
  await place.locator('input[type=file]').setInputFiles({
    ...{ name, mimeType: 'application/octet-stream' },
    buffer: Buffer.from(content),
  });
  await place.locator('.item-title', { hasText: name }).last().waitFor();
}

const stored = (file: string) =>
  readFile(join(stage.agent.folder, 'certificates', file), 'utf8').catch(() => '');

test('a certificate and its key are chosen, tried by the device, and used for HTTPS', async () => {
  const page = await stage.open({ path: '/certificates' });
  await waitForView(page);
  const place = serverCard(page);
  const use = place.getByRole('button', { name: 'Use this certificate', exact: true });
  await place.getByText('No certificate, so no HTTPS').waitFor();
  await choose(place, 'lobby.crt', own.cert);
  await place.getByText('The private key is missing.').waitFor();
  assert.equal(await use.isDisabled(), true);

  await choose(place, 'wrong.key', elsewhere.key);
  await use.click();
  await place.getByText('The private key is damaged or belongs to none of the certificates').waitFor();
  await place.locator('.step-failed').waitFor();
  assert.deepEqual((await stage.client.get('/files/certificates')).server, []);
  await savePicture(page, 'certificates-refused-light-1440');

  await place.getByRole('button', { name: 'Leave out wrong.key' }).click();
  await choose(place, 'lobby.key', own.key);
  await choose(place, 'root.cer', new X509Certificate(root.cert).raw);
  await use.click();
  await place.getByText('Issued by Shop Root').first().waitFor();
  const { server } = await stage.client.get('/files/certificates');
  assert.deepEqual(
    server.map(({ subject }) => subject),
    ['CN=lobby', 'CN=Shop Root'],
  );
  assert.match(await stored('server.pem'), /PRIVATE KEY/);
  await page.close();
});

test('a certificate for another address is told; removing it is asked for', async () => {
  const page = await stage.open({ path: '/certificates' });
  const place = serverCard(page);
  const both = Buffer.from(elsewhere.cert + elsewhere.key);
  await stage.client.upload('/files/certificates/server', both);
  // Another host has changed it.
  await place.getByText('Not for the address 127.0.0.1').waitFor();
  await place.getByText('It is for: elsewhere.example.').waitFor();
  await place.getByRole('button', { name: 'Remove the certificate', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('HTTPS ends at once').waitFor();
  await dialog.getByRole('button', { name: 'Remove the certificate', exact: true }).click();
  await place.getByText('No certificate, so no HTTPS').waitFor();
  assert.equal(await stored('server.pem'), '');
  await page.close();
});

test('authorities are added to those that are trusted, and removed one by one', async () => {
  const page = await stage.open({ path: '/certificates' });
  const place = authoritiesCard(page);
  const add = place.getByRole('button', { name: 'Add', exact: true });
  await choose(place, 'with-key.pem', root.cert + root.key);
  await place.getByText('There is a private key in the file.').waitFor();
  await place.getByRole('button', { name: 'Leave out with-key.pem' }).click();
  await choose(place, 'lobby.pem', own.cert);
  await add.click();
  await place.getByText(/is not a CA certificate/).waitFor();
  await place.getByRole('button', { name: 'Leave out lobby.pem' }).click();
  for (const [name, { cert }] of [
    ['root.pem', root],
    ['other.pem', other],
  ] as const) {
    await choose(place, name, cert);
    await add.click();
    await place.getByRole('button', { name: `Leave out ${name}` }).waitFor({ state: 'detached' });
  }
  assert.equal(await stored('ca.pem'), root.cert + other.cert);
  await place.getByRole('button', { name: 'Remove Shop Root' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await stored('ca.pem'), other.cert);
  await place.getByRole('button', { name: 'Remove all', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove all', exact: true }).click();
  await place.getByText('Only the built-in authorities').waitFor();
  assert.equal(await stored('ca.pem'), '');
  await page.close();
});

test('axe finds nothing while there are certificates, and nothing is cut off', async () => {
  const odd = certificate({
    name: '<b>Lobby of a company with a very long name and many words, Ltd.',
    issuer: root,
  });
  await stage.client.upload('/files/certificates/server', Buffer.from(odd.cert + odd.key + root.cert));
  await stage.client.upload('/files/certificates/ca', Buffer.from(root.cert));
  const page = await stage.open({ path: '/certificates' });
  await choose(serverCard(page), 'lobby.crt', own.cert);
  for (const summary of await page.locator('summary').all()) await summary.click();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await savePicture(page, `certificates-full-${theme}-${width}`);
      await checkAccessibility(page, `certificates-full-${theme}-${width}`);
    }
    await checkTargets(page, `certificates-full-${width}`);
    await checkWidth(page, `certificates-full-${width}`);
  }
  await page.close();
  for (const language of LANGUAGES) {
    const page = await stage.open({ path: '/certificates', language, width: 360 });
    await waitForView(page);
    await checkWidth(page, `certificates-${language}`);
    await page.close();
  }
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
