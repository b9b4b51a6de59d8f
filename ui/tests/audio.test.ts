/** The view of sound. This computer has none of the device's, so the test answers for the sound server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { ResponseOf } from '../../client/contract.ts';
import { waitFor } from '../../testing/wait.ts';
import { fieldOf } from '../src/app/config-values.ts';
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

let stage: Stage;
let outputs = ['HDMI', 'Headphones', 'USB: Speaker'];
let hasCard = true;
/** Volumes and mutes that were asked for. */
const asked: unknown[] = [];
before(async () => {
  stage = await Stage.create();
});
after(() => stage.close());

/** What the agent would say: the configuration is its own, the outputs are the test's. */
async function audio(): Promise<ResponseOf<'GET', '/audio'>> {
  const config = await stage.client.get('/config');
  const wanted = fieldOf(config, 'audio', 'output');
  return {
    output: outputs.find((one) => one === wanted) ?? outputs.at(-1) ?? null,
    outputs,
    volume: Number(fieldOf(config, 'audio', 'volume')),
    mute: fieldOf(config, 'audio', 'mute') === true,
  };
}

async function open(options: { language?: string } = {}): Promise<{ page: Page; standIn: StandIn }> {
  const page = await stage.open(options);
  const standIn = await StandIn.at(page, /^\/audio$/, async (method, _path, body) => {
    if (!hasCard) {
      const error = { code: 'unavailable', message: 'This device has no sound hardware.' };
      return { status: 503, body: { error } };
    }
    if (method === 'POST' && typeof body === 'object' && body !== null) {
      asked.push(body);
      await stage.client.patch('/config', { json: { audio: body } });
    }
    return { status: 200, body: await audio() };
  });
  await page.goto(`${stage.gate.origin}/audio`);
  await waitForView(page);
  return { page, standIn };
}

const stored = async (field: string) => fieldOf(await stage.client.get('/config'), 'audio', field);

test('an output is chosen; one that is unplugged stays chosen, and it is said what plays instead', async () => {
  const { page, standIn } = await open();
  await page.getByText('Plays on USB: Speaker').waitFor();
  await page.getByLabel('Output', { exact: true }).selectOption('Headphones');
  await page.getByText('Plays on Headphones').waitFor();
  assert.equal(await stored('output'), 'Headphones');
  outputs = ['HDMI'];
  standIn.emit('health', await stage.client.get('/device/health'));
  await page.locator('.badge-warning', { hasText: 'Plays on HDMI' }).waitFor();
  assert.equal(await page.getByLabel('Output', { exact: true }).inputValue(), 'Headphones');
  outputs = ['HDMI', 'Headphones', 'USB: Speaker'];
  await page.getByLabel('Output', { exact: true }).selectOption('');
  await page.getByText('Plays on USB: Speaker').waitFor();
  assert.equal(await stored('output'), null);
  await page.close();
});

test('the volume is sent where the slider is left, by mouse and by keys, and mute at once', async () => {
  const { page } = await open();
  asked.length = 0;
  const slider = page.getByRole('slider', { name: 'Volume' });
  const box = await slider.boundingBox();
  assert.ok(box);
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.8, y);
  await page.mouse.down();
  for (const share of [0.7, 0.6, 0.5, 0.4]) await page.mouse.move(box.x + box.width * share, y);
  assert.deepEqual(asked, []);
  await page.mouse.up();
  await waitFor(() => asked.length === 1, { ...SOON, what: 'the volume' });
  const left = Number(await slider.inputValue());
  assert.ok(left > 30 && left < 50, String(left));
  await waitFor(async () => (await stored('volume')) === left, { ...SOON, what: 'the stored volume' });
  for (let press = 0; press < 5; press++) await slider.press('ArrowRight');
  await waitFor(async () => (await stored('volume')) === left + 5, { ...SOON, what: 'the last volume' });
  assert.equal(Number(await slider.inputValue()), left + 5);
  await page.getByLabel('Mute', { exact: true }).click();
  await page.getByText('Muted').waitFor();
  assert.equal(await stored('mute'), true);
  await stage.client.patch('/config', { json: { audio: { volume: 0, mute: false } } });
  await page.getByText('Volume 0').waitFor();
  assert.equal(await slider.inputValue(), '0');
  await page.close();
});

test('a test tone is played on each side by the displayed page, and if it cannot be, it is said', async () => {
  const { page } = await open();
  await stage.client.post('/display/navigate', { json: { url: 'http://a.example/' } });
  const panned: unknown[] = [];
  const node = { connect: (next: unknown) => next };
  let state = 'running';
  Object.assign(stage.page.globals, {
    setTimeout,
    AudioContext: class {
      currentTime = 0;
      state = state;
      resume = async () => undefined;
      close = async () => undefined;
    },
    GainNode: class {
      connect = node.connect;
    },
    StereoPannerNode: class {
      connect = node.connect;
      constructor(_context: unknown, { pan }: { pan: number }) {
        panned.push(pan);
      }
    },
    OscillatorNode: class {
      connect = node.connect;
      start = () => undefined;
      stop = () => undefined;
      addEventListener = (_type: string, ended: () => void) => ended();
    },
  });
  const play = page.getByRole('button', { name: 'Play a test tone', exact: true });
  await play.click();
  await page.locator('.toast-good', { hasText: 'Both tones were played.' }).waitFor();
  assert.deepEqual(panned, [-1, 1]);
  state = 'suspended';
  await play.click();
  await page.getByText('The page on the screen cannot play sound.').waitFor();
  await page.close();
});

test('it fits and is accessible, also when sound stops, and says so without a card', async () => {
  outputs = ['HDMI', 'USB: A loudspeaker with a name that is as long as names may be, 64 ch'];
  await stage.client.patch('/config', { json: { audio: { volume: 40, output: 'HDMI' } } });
  for (const language of LANGUAGES) {
    const { page, standIn } = await open({ language });
    await page.locator('.audio-output').waitFor();
    for (const [width, height] of [
      [360, 640],
      [768, 1024],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      await checkWidth(page, `${language}, ${width}`);
      for (const theme of THEMES) {
        await page.emulateMedia({ colorScheme: theme });
        await savePicture(page, `audio-full-${language}-${theme}-${width}`);
        if (language === 'en') await checkAccessibility(page, `${theme}, ${width}`);
      }
      await checkTargets(page, `${language}, ${width}`);
    }
    if (language === 'en') {
      hasCard = false;
      standIn.emit('health', await stage.client.get('/device/health'));
      await page.getByText('Sound does not work now.').waitFor();
      await checkAccessibility(page, 'stopped');
      await page.reload();
      await page.getByText('This device does not have this').waitFor();
      hasCard = true;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Plays on HDMI').waitFor();
    }
    await page.close();
  }
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
