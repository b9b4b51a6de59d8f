/** The view of NFC with the agent's own resource, and a program that says what readers would. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { isEventOf } from '../../client/channel.ts';
import { NfcStage, READER, TAG } from '../../testing/nfc-stage.ts';
import { waitFor } from '../../testing/wait.ts';
import {
  checkAccessibility,
  checkTargets,
  checkWidth,
  LANGUAGES,
  Stage,
  savePicture,
  THEMES,
  waitForView,
} from './stage.ts';
import { StandIn } from './stand-in.ts';

const SOON = { timeoutMs: 60_000, intervalMs: 50 };
const TOPICS = ['nfc_tag', 'nfc_tag_removed', 'nfc_reader_connected', 'nfc_reader_disconnected'] as const;
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
/** "Hello" in English, and an address. */
const MESSAGE = base64('9101085402656E48656C6C6F5101045504612E62');
const USB = { ...READER, reader: 'acr122u-1-1.2', backend: 'acr122u', has_led: true, has_buzzer: true };
const HTML = {
  ...TAG,
  tag: 2,
  uid: '04FFEE',
  techs: ['ndef'],
  ndef: base64('D101075402656E3C623E78'),
};

let stage: Stage;
let readers: NfcStage;
let standIn: StandIn | undefined;

before(async () => {
  stage = await Stage.create();
  readers = await NfcStage.create();
  readers.isEnabled = false;
  readers.readers = [READER, USB];
  readers.nfc.start();
  for (const topic of TOPICS) {
    const isTopic = isEventOf(topic);
    readers.bus.listen(topic, (event) => {
      if (isTopic(event)) standIn?.emit(topic, event.payload);
    });
  }
});
after(async () => {
  await readers.close();
  await stage.close();
});

async function open(options: { width?: number; height?: number; language?: string } = {}): Promise<Page> {
  const page = await stage.open(options);
  standIn = await StandIn.at(page, /^\/nfc/, async (method, path, body) => {
    const given = typeof body === 'object' && body !== null ? body : undefined;
    return await readers.request(method === 'POST' ? 'POST' : 'GET', path.slice('/nfc'.length), given);
  });
  await page.route('**/api/v1/config', async (route) => {
    const response = await route.fetch();
    const { config } = await response.json();
    if (config && config.nfc.enabled !== readers.isEnabled) {
      readers.isEnabled = config.nfc.enabled;
      await readers.nfc.apply();
      if (readers.isEnabled) await readers.until('the readers', () => readers.nfc.list().length > 0);
    }
    await route.fulfill({ response });
  });
  await page.goto(`${stage.gate.origin}/nfc`);
  await waitForView(page);
  return page;
}

test('a device without readers says what to connect', async () => {
  const page = await stage.open({ path: '/nfc' });
  await page.getByRole('button', { name: 'Switch NFC on', exact: true }).click();
  await page.getByText('No reader', { exact: true }).waitFor();
  await page.getByLabel('Use NFC', { exact: true }).click();
  await page.getByText('NFC is off').waitFor();
  assert.deepEqual(
    await stage.client
      .get('/config')
      .then(({ nfc }) => nfc instanceof Object && 'enabled' in nfc && nfc.enabled),
    false,
  );
  await page.close();
});

test('readers are switched on, a tag is shown, written and read back, and remembered when it has left', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Switch NFC on', exact: true }).click();
  await page.getByText(READER.reader, { exact: true }).waitFor();
  assert.equal(readers.runs, true);
  readers.send({ ...TAG, ndef: MESSAGE });
  const tags = page.getByRole('list', { name: 'Tags at the readers now' });
  await tags.getByText('04 A1 B2 C3').waitFor();
  await tags.getByText('Hello').waitFor();
  await tags.getByText('https://a.b').waitFor();

  await page.getByRole('button', { name: 'Write on tag 04 A1 B2 C3', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Write on tag 04 A1 B2 C3' });
  await dialog.getByLabel('Address', { exact: true }).first().check();
  const field = dialog.getByRole('textbox', { name: 'Address' });
  await field.fill('example.com');
  await dialog.getByRole('button', { name: 'Write', exact: true }).click();
  await dialog.getByText('Enter an address with its beginning').waitFor();
  await savePicture(page, 'nfc-write-light-1440');
  await checkAccessibility(page, 'write');
  await checkTargets(page, 'write');
  await field.fill('https://www.example.com/menu');
  let isHeld = false;
  readers.answer = ({ command, message }) => {
    if (command !== 'write_ndef') return { ok: true };
    if (isHeld) return { ok: true, written_bytes: Buffer.from(String(message), 'base64').length };
    return { ok: false, code: 'failed', message: 'The tag left while it was written.', tag_state: 'empty' };
  };
  await dialog.getByRole('button', { name: 'Write', exact: true }).click();
  await dialog.getByText('Writing has failed. The tag is empty now.').waitFor();
  isHeld = true;
  await dialog.getByRole('button', { name: 'Write', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await tags.getByText('https://www.example.com/menu').waitFor();
  const sent = readers.commands.filter(({ command }) => command === 'write_ndef').at(-1);
  assert.equal(Buffer.from(String(sent?.message), 'base64').subarray(4).toString(), '\x02example.com/menu');

  readers.send({ event: 'tag_gone', reader: READER.reader, tag: 1 });
  await page.getByText('Hold a tag to a reader.').waitFor();
  await page.getByRole('list', { name: 'Last tags' }).getByText('04 A1 B2 C3').waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('list', { name: 'Last tags' }).waitFor({ state: 'detached' });
  await page.close();
});

test('what is on a tag is text only, and what is typed for it outlives its absence', async () => {
  const page = await open();
  readers.send(HTML);
  await page.getByText('<b>x').first().waitFor();
  assert.equal(await page.locator('.nfc-records b, .nfc-records a').count(), 0);
  await page.getByRole('button', { name: 'Write on tag 04 FF EE', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Text' }).fill('Room 7');
  readers.send({ event: 'tag_gone', reader: READER.reader, tag: 2 });
  await dialog.getByText('The tag has left the reader. Hold it there again.').waitFor();
  readers.send({ ...HTML, tag: 3 });
  await dialog.getByText('The tag has left the reader.').waitFor({ state: 'detached' });
  assert.equal(await dialog.getByRole('textbox', { name: 'Text' }).inputValue(), 'Room 7');
  await page.keyboard.press('Escape');
  readers.send({ event: 'tag_gone', reader: READER.reader, tag: 3 });
  await page.getByText('Hold a tag to a reader.').waitFor();
  await page.close();
});

test('a command is sent to a card, and a reader beeps', async () => {
  const page = await open({ width: 360, height: 640 });
  readers.send(TAG);
  await page.getByText('Commands for chip cards').click();
  const sent: string[] = [];
  readers.answer = ({ command, apdu, buzzer_ms }) => {
    if (command === 'transceive') sent.push(String(apdu));
    if (command === 'feedback') sent.push(String(buzzer_ms));
    return { ok: true, response: base64('01029000') };
  };
  await page.getByLabel('Command (APDU)').fill('00 a4 04');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Enter 4 to 512 bytes').waitFor();
  await page.getByLabel('Command (APDU)').fill('00 a4 04 00');
  for (const _ of [1, 2]) {
    const before = sent.length;
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await waitFor(() => sent.length > before, { ...SOON, what: 'the command' });
    await page.getByText('9000: done').nth(before).waitFor();
  }
  assert.deepEqual(sent, [base64('00A40400'), base64('00A40400')]);
  await page.getByText('01 02', { exact: true }).first().waitFor();
  await savePicture(page, 'nfc-command-light-360');
  await checkAccessibility(page, 'command');
  await checkTargets(page, 'command');
  await page.getByRole('button', { name: `Let ${USB.reader} beep`, exact: true }).click();
  await page.locator('.toast-good').waitFor();
  assert.equal(sent.at(-1), '200');
  await page.close();
});

test('it fits and is accessible', async () => {
  readers.send({ ...TAG, tag: 9, uid: '04A1B2C3D4E5F6', ndef: MESSAGE });
  for (const language of LANGUAGES) {
    const page = await open({ language });
    readers.send({ event: 'readers', readers: [READER, { ...USB, present: false }] });
    await page.getByText('04 A1 B2 C3 D4 E5 F6').first().waitFor();
    for (const [width, height] of [
      [360, 640],
      [768, 1024],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      await checkWidth(page, `${language}, ${width}`);
      if (language !== 'en' && language !== 'de') continue;
      for (const theme of THEMES) {
        await page.emulateMedia({ colorScheme: theme });
        await savePicture(page, `nfc-full-${language}-${theme}-${width}`);
        if (language === 'en') await checkAccessibility(page, `${theme}, ${width}`);
      }
      await checkTargets(page, `${language}, ${width}`);
    }
    await page.close();
  }
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
