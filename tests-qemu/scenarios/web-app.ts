/**
 * The web app of the image in Chromium: what is done by clicking is confirmed on the screen, over the serial link, or in the
 * device's files. The app's own tests (ui/tests/) have the details. Views of what only a machine has are in the scenarios of it.
 */
import assert from 'node:assert/strict';
import { strFromU8, unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { requireSuccess } from '../../client/client.ts';
import { field } from '../../testing/field.ts';
import { authority, certificate } from '../../testing/make-certificates.ts';
import { solidPng } from '../../testing/make-png.ts';
import { type Colour, colourAt, decodePng, near } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import { zip } from '../../testing/zip.ts';
import { AppBrowser, contentOf } from '../../ui/tests/app-browser.ts';
import { checkAccessibility, savePicture, waitForView } from '../../ui/tests/stage.ts';
import { getDeviceOverTls } from '../harness/certificates.ts';
import type { Device } from '../harness/device.ts';
import { coloursPage } from '../harness/pages.ts';
import { waitForSpots } from '../harness/screen.ts';
import { recordMix, toneLevel } from '../harness/sound.ts';
import { scenario } from '../harness/suite.ts';

const WAIT_MS = 180_000;
const BOOT_TEST_MS = 15 * 60_000;
const SOON = { timeoutMs: WAIT_MS, intervalMs: 200 };
const [RED, BLUE, GREEN]: [Colour, Colour, Colour] = [
  [200, 30, 40],
  [20, 60, 190],
  [30, 150, 60],
];
/** A page for remote control: a click and what is typed are kept, and can be asked for. */
const CONTROLLED = `<!doctype html><title>remote</title><body style="margin:0;height:100vh;background:#224">
<input id="text" style="position:fixed;left:40vw;top:40vh;width:20vw;height:20vh">
<script>
  const seen = [];
  addEventListener('click', ({ clientX, clientY }) =>
    seen.push([clientX / innerWidth, clientY / innerHeight].map((part) => Math.round(part * 100)).join()));
</script>`;
/** What views say of what a board lacks. */
const ABSENT = /This device (?:does not have this|has no Bluetooth)|No Wi-Fi radio to manage/;
const MARKUP = '<img src=x onerror="window.broken = 1">';

/** What a request over the serial link answers. */
async function overSerial(device: Device, path: string): Promise<unknown> {
  const serial = await device.serial();
  try {
    return requireSuccess('GET', path, await serial.request('GET', path)).body;
  } finally {
    await serial.close();
  }
}

/** Waits until the picture of the screen in the app has these halves. */
async function waitForPicture(page: Page, left: Colour, right: Colour): Promise<void> {
  const picture = page.getByRole('img', { name: /Picture of what the screen shows/ }).first();
  await waitForSpots(
    async () => decodePng(await picture.screenshot()),
    [
      { what: 'the left half of the picture', x: 0.25, y: 0.6, colour: left, tolerance: 12 },
      { what: 'the right half of the picture', x: 0.75, y: 0.6, colour: right, tolerance: 12 },
    ],
    WAIT_MS,
  );
}

export default scenario({
  title:
    'the web app in a browser: the main actions of its views, a second tab, and a restart under open pages',
  needs: 'system',
  machine: 'restored',
  run: async ({ device, pages, test }) => {
    const app = await AppBrowser.launch();
    const open = async (path: string): Promise<Page> => {
      const timeoutMs = device.isEmulated ? WAIT_MS : WAIT_MS / 6;
      const page = await app.open({ origin: device.origin, path, timeoutMs });
      await waitForView(page);
      return page;
    };
    const config = async (path: string) => field(await overSerial(device, '/config'), path);
    const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
    const good = (page: Page, text: string) => page.locator('.toast-good', { hasText: text }).waitFor();
    try {
      await test('a page is shown by its address, and the overview has its picture; the name is changed', async () => {
        const page = await open('/show');
        await page.getByLabel('Address').fill(pages.addColours(RED, BLUE));
        await page.keyboard.press('Enter');
        await page.locator('.step-done', { hasText: 'On the screen' }).waitFor();
        await device.waitForColours(RED, BLUE);
        await page.getByRole('link', { name: 'Overview' }).click();
        await waitForPicture(page, RED, BLUE);
        await button(page, 'Change the name').click();
        await page.getByLabel('Name of the device').fill('<b>Lobby</b>');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { level: 1, name: '<b>Lobby</b>' }).waitFor();
        assert.equal(field(await overSerial(device, '/device'), 'name'), '<b>Lobby</b>');
        await checkAccessibility(page, 'the overview');
        await savePicture(page, 'device-overview-1440');
        await page.close();
      });

      await test('an archive is uploaded, set for the boot and shown', async () => {
        const page = await open('/content');
        const buffer = await zip({ 'index.html': coloursPage(GREEN, RED), 'a/ü.txt': 'ü' });
        const file = { name: 'Menu.zip', mimeType: 'application/zip', buffer };
        await page.getByLabel('Drop a folder or a zip archive here').setInputFiles(file);
        await button(page, 'Upload').click();
        await good(page, 'menu is stored on the device');
        assert.match(await device.shell.ok('ls /data/content'), /^menu\./m);
        await button(page, 'Details: menu').click();
        await button(page, 'Start at boot: menu').click();
        await page.locator('.badge', { hasText: 'Starts at boot' }).waitFor();
        assert.equal(await config('display.boot_bundle'), 'menu');
        await button(page, 'Show menu').click();
        await device.waitForColours(GREEN, RED);
        await page.close();
      });

      await test('a screen that is turned stays so if that is confirmed, and turns back if not', async () => {
        const page = await open('/screens');
        const turn = async (name: RegExp, answer: string) => {
          await page.getByRole('radio', { name }).check();
          await button(page, 'Apply').click();
          await page.getByRole('dialog', { name: 'Can you read the screen?' }).waitFor();
          await button(page, answer).click();
        };
        const waitForPortrait = (isPortrait: boolean) =>
          waitFor(async () => (await device.runScript('innerHeight > innerWidth')) === isPortrait, {
            ...SOON,
            what: `the page to be ${isPortrait ? 'higher than wide' : 'wider than high'}`,
          });
        await turn(/90°/, 'Keep');
        await good(page, 'The change stays.');
        await waitForPortrait(true);
        await turn(/Upright/, 'Undo');
        await page.getByText('The change was undone.').waitFor();
        assert.equal(field(await overSerial(device, '/display'), 'rotation'), 90);
        await waitForPortrait(true);
        await device.act('PATCH', '/config', { display: { rotation: null } });
        await waitForPortrait(false);
        await page.close();
      });

      await test('the page is clicked and typed into on its picture', async () => {
        await device.act('POST', '/display/navigate', { url: pages.add(CONTROLLED) });
        await device.waitForDisplay(({ loading }) => !loading, 'the page', WAIT_MS);
        const page = await open('/remote');
        await button(page, 'Switch on remote control').click();
        await page.getByText('Remote control is on.').waitFor();
        await page.locator('.remote-frame img').waitFor();
        await page.locator('.remote-frame').scrollIntoViewIfNeeded();
        const click = async (x: number, y: number) => {
          const box = await page.locator('.remote-frame').boundingBox();
          assert.ok(box);
          await page.mouse.click(box.x + x * box.width, box.y + y * box.height);
        };
        await click(0.2, 0.7);
        await waitFor(async () => (await device.runScript('return seen.join(" ")')) === '20,70', {
          ...SOON,
          what: 'the click in the page',
        });
        await click(0.5, 0.5);
        await button(page, 'Stop typing').waitFor();
        await page.keyboard.type('abc');
        await page.keyboard.press('Backspace');
        await button(page, 'Stop typing').click();
        await page.getByLabel('Type this text').fill('ü 漢');
        await button(page, 'Send').click();
        const value = () => device.runScript("return document.querySelector('#text').value");
        await waitFor(async () => (await value()) === 'abü 漢', { ...SOON, what: 'the text in the page' });
        await button(page, 'Switch off').click();
        await page.getByRole('heading', { name: 'Remote control is off' }).waitFor();
        assert.equal(await config('input.remote'), false);
        await page.close();
      });

      await test('a script runs in the page, and its console can be followed', async () => {
        const page = await open('/page');
        await page.getByLabel('Follow the console').check();
        const script = page.getByLabel('JavaScript');
        await script.fill(`document.querySelector('#text').remove();
          document.body.style.background = 'linear-gradient(90deg, rgb(${BLUE}) 50%, rgb(${RED}) 50%)'`);
        await script.press('Control+Enter');
        await device.waitForColours(BLUE, RED);
        const row = page.getByRole('option').filter({ hasText: MARKUP });
        // The console is collected a little after it was asked for.
        await waitFor(
          async () => {
            await device.runScript(`console.warn('${MARKUP}')`);
            return (await row.count()) > 0;
          },
          { timeoutMs: WAIT_MS, intervalMs: 1000, what: 'the line of the console' },
        );
        assert.equal(await page.evaluate('window.broken'), undefined);
        await page.close();
      });

      // On an emulated device nothing is heard: the blocks of WebAudio, of 3 ms, come too late.
      if (!device.isEmulated) {
        await test('the test tone is heard on the left, and a higher one on the right', async () => {
          const page = await open('/audio');
          const play = async () => {
            await button(page, 'Play a test tone').click();
            await page.locator('.toast-good', { hasText: 'Both tones were played.' }).first().waitFor();
          };
          await waitFor(
            async () => {
              const sides = await recordMix(device, play);
              const levels = sides.map((side) => [440, 660].map((hertz) => toneLevel(side, hertz)));
              const isHeard = levels.map((side) => side.map((level) => level > 0.1 && level < 0.3));
              const wanted = [
                [true, false],
                [false, true],
              ];
              assert.deepEqual(isHeard, wanted, String(levels));
              return true;
            },
            { timeoutMs: WAIT_MS, what: 'each tone on its side' },
          );
          await page.close();
        });
      }

      await test('settings and time servers are stored, and a certificate is used', async () => {
        const page = await open('/settings');
        await page.getByLabel('Search', { exact: true }).fill('browser.zoom');
        await page.getByLabel('browser.zoom', { exact: true }).check();
        await button(page, 'Save changes').click();
        await page.getByText('1 setting was saved.').waitFor();
        assert.equal(await config('browser.zoom'), true);
        await page.goto(`${device.origin}/network`);
        const servers = page.getByLabel('Servers', { exact: true });
        await servers.fill('192.0.2.9');
        await page
          .locator('form', { has: servers })
          .getByRole('button', { name: 'Save', exact: true })
          .click();
        await good(page, 'Saved');
        assert.deepEqual(await config('device.ntp_servers'), ['192.0.2.9']);
        await page.goto(`${device.origin}/certificates`);
        const root = authority('Web Root');
        const own = certificate({ name: 'web-app', issuer: root });
        const card = page.locator('.card', { has: page.getByText(/^Certificate of the device/) });
        const buffer = Buffer.from(own.cert + own.key);
        const file = { name: 'own.pem', mimeType: 'application/octet-stream', buffer };
        await card.locator('input[type=file]').setInputFiles(file);
        await button(page, 'Use this certificate').click();
        await card.getByText('Issued by Web Root').first().waitFor();
        assert.equal((await getDeviceOverTls(device, root.cert)).name, 'web-app');
        await page.close();
      });

      await test('log lines and events of the device arrive as text', async () => {
        const page = await open('/logs');
        await device.shell.ok(`logger -t web-app-test '${MARKUP}'`);
        await page
          .getByRole('option')
          .filter({ hasText: 'web-app-test' })
          .filter({ hasText: MARKUP })
          .waitFor();
        await page.getByRole('link', { name: 'Events' }).click();
        await page.getByText('Nothing has happened yet').waitFor();
        await device.act('PATCH', '/config', { device: { name: MARKUP } });
        const events = page.getByRole('listbox', { name: 'Events' }).getByRole('option');
        await events.filter({ hasText: 'config_changed' }).waitFor();
        assert.equal(await page.evaluate('window.broken'), undefined);
        await page.close();
      });

      await test('what the device does not have is told', async () => {
        for (const path of ['/wifi', '/bluetooth', '/audio', '/update']) {
          const { status } = await device.http('GET', path);
          const page = await open(path);
          const absent = page.getByText(ABSENT).first();
          if (status === 503) await absent.waitFor();
          else assert.equal(await absent.count(), 0, path);
          await page.close();
        }
      });

      await test('a logo is set, and the archive for support is downloaded with state, picture and a log', async () => {
        const page = await open('/maintenance');
        const buffer = solidPng(640, 360, GREEN);
        const input = page.locator('input[type=file]').first();
        await input.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer });
        await button(page, 'Use this picture').click();
        await page.getByText('The device has the picture now.').waitFor();
        await device.showWaiting();
        await waitFor(
          async () => {
            const picture = await device.screen();
            const places = [0.2, 0.3, 0.4, 0.5, 0.6];
            return places.some((y) => near(colourAt(picture, 0.5, y), GREEN, 12));
          },
          { ...SOON, what: 'the logo on the waiting page' },
        );
        const download = page.waitForEvent('download');
        await button(page, 'Download').click();
        const files = unzipSync(await contentOf(await download));
        assert.match(strFromU8(files['device.json'] ?? new Uint8Array()), /"version"/);
        assert.deepEqual([...(files['screen.png'] ?? [])].slice(1, 4), [...Buffer.from('PNG')]);
        assert.ok(
          Object.keys(files).some((name) => /log/.test(name)),
          Object.keys(files).join(),
        );
        await page.close();
      });

      await test(
        'the device is restarted under two open pages, which follow it and show what has changed',
        async () => {
          const page = await open('/maintenance');
          const second = await open('/');
          await device.restart(async () => {
            await button(page, 'Restart the device').click();
            await page.getByRole('dialog').getByRole('button', { name: 'Restart the device' }).click();
            await page.getByText(/The device is rebooting, \d+ sec so far/).waitFor();
            await second
              .getByText(/Connection lost \d+ sec ago|The device is rebooting/)
              .first()
              .waitFor();
          });
          await page.getByText(/The device has restarted and is back after/).waitFor();
          await second.getByText(/Connection lost/).waitFor({ state: 'detached' });
          await device.waitForColours(GREEN, RED);
          await waitForPicture(second, GREEN, RED);
          await device.act('PATCH', '/config', { device: { name: 'After the restart' } });
          await second.getByRole('heading', { level: 1, name: 'After the restart' }).waitFor();
          await Promise.all([page.close(), second.close()]);
        },
        BOOT_TEST_MS,
      );

      await test('no page has thrown or broken its policy', async () => app.checkComplaints());
    } finally {
      await app.close();
    }
  },
});
