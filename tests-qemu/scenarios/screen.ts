import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import { matchingState } from '../../testing/matching-state.ts';
import { agreement, type Colour, colourCount } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import { coloursPage } from '../harness/pages.ts';
import { waitForSpots } from '../harness/screen.ts';
import { scenario } from '../harness/suite.ts';

const TEAL: Colour = [0, 128, 128];
const AMBER: Colour = [255, 176, 0];
const WHITE: Colour = [255, 255, 255];

export default scenario({
  title: 'the waiting page and a remote page are shown on the screen and reported by the API and events',
  needs: 'system',
  machine: 'shared',
  run: async ({ device, pages, test }) => {
    await test('the waiting page is on the screen after boot', async () => {
      const display = await device.waitForDisplay(
        (state) => field(state, 'mode') === 'waiting' && field(state, 'loading') === false,
        'the waiting page to be loaded',
        300_000,
      );
      assert.equal(field(display, 'error'), null);
      assert.equal(field(display, 'url'), undefined);
      // Rendered text has many shades; a blank screen has one colour, a text console few.
      await waitFor(async () => colourCount(await device.screen()) > 20, {
        timeoutMs: 120_000,
        what: 'a drawn page on the screen',
      });
      await waitFor(async () => agreement(await device.screen(), await device.screenshot()) > 0.98, {
        timeoutMs: 120_000,
        what: 'display output and screenshot of the waiting page to be equal',
        intervalMs: 500,
      });
    });

    await test('the browser logs no missing cursor theme or accessibility bus', async () => {
      const told = await device.shell.ok('journalctl -b -o cat --no-pager');
      assert.match(told, /the browser is connected/);
      assert.doesNotMatch(told, /a11y bus|cursor theme|Cursor .* not found/);
    });

    await test('navigate shows a remote page: on the screen, in the screenshot, in GET /display and on both links', async () => {
      const url = pages.addColours(TEAL, AMBER);
      const socket = await device.events('display_state');
      const serial = await device.serial();
      try {
        await serial.subscribe('display_state');
        const [onSocket, onSerial] = [socket.events.mark, serial.events.mark];
        const answer = await device.act('POST', '/display/navigate', { url });
        assert.equal(field(answer, 'mode'), 'url');
        assert.equal(field(answer, 'url'), url);
        await device.waitForColours(TEAL, AMBER);
        const shown = (payload: unknown): boolean =>
          field(payload, 'url') === url && field(payload, 'loading') === false;
        const told = await socket.events.next('display_state', onSocket, shown);
        const toldOnSerial = await serial.events.next('display_state', onSerial, shown);
        assert.deepEqual(toldOnSerial.payload, told.payload);
        const display = await matchingState(socket.events, 'display_state', onSocket, () =>
          device.get('/display'),
        );
        assert.equal(field(display, 'mode'), 'url');
        assert.equal(field(display, 'url'), url);
        assert.equal(field(display, 'loading'), false);
        assert.equal(field(display, 'error'), null);
        // The two checked positions may be correct before the whole screen is.
        await waitFor(async () => agreement(await device.screen(), await device.screenshot()) > 0.98, {
          timeoutMs: 120_000,
          what: 'display output and screenshot of the page to be equal',
        });
        assert.equal(pages.loads(url), 1);
      } finally {
        await serial.close();
        await socket.close();
      }
    });

    await test('another fragment of the same page is shown without loading it again', async () => {
      const url = pages.addColours([200, 30, 30], [30, 30, 200]);
      await device.act('POST', '/display/navigate', { url });
      await device.waitForColours([200, 30, 30], [30, 30, 200]);
      const loads = pages.loads(url);
      await device.act('POST', '/display/navigate', { url: `${url}#there` });
      await device.waitForDisplay(
        (display) =>
          field(display, 'loading') === false &&
          field(display, 'url') === `${url}#there` &&
          field(display, 'error') === null,
        'the other fragment',
      );
      assert.equal(pages.loads(url), loads);
    });

    await test('reload loads the page again', async () => {
      const url = pages.addColours(AMBER, TEAL);
      await device.act('POST', '/display/navigate', { url });
      await device.waitForColours(AMBER, TEAL);
      await device.act('POST', '/display/reload');
      await waitFor(() => pages.loads(url) === 2, { timeoutMs: 60_000, what: 'a second load' });
      await device.waitForColours(AMBER, TEAL);
    });

    await test('the screen is listed with its actual mode', async () => {
      const { body } = await device.http('GET', '/display/screens');
      assert.ok(Array.isArray(body));
      const primary: unknown = body.find((screen: unknown) => field(screen, 'primary') === true);
      assert.equal(field(primary, 'connected'), true);
      const { width, height } = await device.screen();
      const size = `${width}x${height}`;
      assert.ok(String(field(primary, 'resolution')).startsWith(`${size}@`), JSON.stringify(primary));
      const modes = field(primary, 'modes');
      assert.ok(Array.isArray(modes) && modes.some((mode) => String(mode).startsWith(size)), String(modes));
      const display = await device.get(`/display?screen=${String(field(primary, 'id'))}`);
      assert.equal(field(display, 'resolution'), field(primary, 'resolution'));
    });

    await test('a page that cannot be loaded is reported, and the next navigation works', async () => {
      const socket = await device.events('display_state');
      try {
        const mark = socket.events.mark;
        // Port 9 (discard) of this computer: nothing listens there.
        await device.act('POST', '/display/navigate', { url: `${pages.origin.replace(/:\d+$/, ':9')}/` });
        await socket.events.next(
          'display_state',
          mark,
          (payload) => typeof field(payload, 'error.code') === 'string',
          120_000,
        );
        const url = pages.addColours(TEAL, TEAL);
        await device.act('POST', '/display/navigate', { url });
        await device.waitForColours(TEAL, TEAL);
        await device.waitForDisplay((display) => field(display, 'error') === null, 'the error to be cleared');
      } finally {
        await socket.close();
      }
    });

    await test('a page without user interaction cannot prevent navigation', async () => {
      // The agent's ping, every 10 s, falls into these 12 s and must not count as user interaction.
      const asks = pages.add(`<!doctype html><title>asks</title><script>
        onbeforeunload = (event) => { event.preventDefault(); event.returnValue = 'stay'; };
        setTimeout(() => fetch('/touched-' + navigator.userActivation.hasBeenActive), 12000);
      </script>`);
      await device.act('POST', '/display/navigate', { url: asks });
      const touched = await waitFor(() => pages.requests.find((path) => path.startsWith('/touched-')), {
        timeoutMs: 180_000,
        what: 'the page to report whether there was user interaction',
      });
      assert.equal(touched, '/touched-false');
      await device.act('POST', '/display/reload');
      await waitFor(() => pages.loads(asks) === 2, {
        timeoutMs: 60_000,
        what: 'the page to be loaded again',
      });
      for (const script of [
        'setInterval(() => stop(), 5)',
        "setInterval(() => { location.href = '/never?' + Math.random(); }, 20)",
      ]) {
        const stays = pages.add(`<!doctype html><title>stays</title><script>${script}</script>`);
        await device.act('POST', '/display/navigate', { url: stays });
        await device.waitForDisplay((state) => field(state, 'url') === stays, 'the page that wants to stay');
        await waitFor(() => pages.loads(stays) > 0, { timeoutMs: 60_000, what: 'its load' });
        const next = pages.addColours(TEAL, AMBER);
        await device.act('POST', '/display/navigate', { url: next });
        await device.waitForColours(TEAL, AMBER, 45_000);
        await device.waitForDisplay(
          (state) => field(state, 'url') === next && field(state, 'loading') === false,
          'the next page to be loaded',
          30_000,
        );
      }
    });

    await test('authentication is never answered: the 401 page is shown and the state reports the reason', async () => {
      const challenge = { 'www-authenticate': 'Basic realm="private"' };
      const picture = pages.add('no picture', 401, challenge).replace(pages.origin, '');
      const url = pages.add(
        `${coloursPage(AMBER, TEAL)}<img src="${picture}" onerror="fetch('/no-picture')">`,
        401,
        challenge,
      );
      await device.act('POST', '/display/navigate', { url });
      await device.waitForColours(AMBER, TEAL);
      const state = await device.waitForDisplay(
        (display) => field(display, 'loading') === false && field(display, 'error') !== null,
        'the end of the load',
        45_000,
      );
      assert.equal(field(state, 'error.code'), 'authentication_required');
      await waitFor(() => pages.requests.includes('/no-picture'), {
        timeoutMs: 60_000,
        what: 'the page to notice that its picture was refused',
      });
      await device.act('POST', '/display/navigate', { url: pages.addColours(TEAL, TEAL) });
      await device.waitForDisplay(
        (display) => field(display, 'loading') === false && field(display, 'error') === null,
        'a page without a password',
      );
    });

    await test('a page without a background is white as soon as it shows something', async () => {
      const image = pages.add('', 200, { 'content-type': 'image/png' });
      const release = pages.hold(image);
      try {
        await device.showWaiting();
        const url = pages.add(`<!doctype html><title>white</title><p>Text<img src="${image}">`);
        await device.act('POST', '/display/navigate', { url });
        const page = [{ what: 'the page', x: 0.5, y: 0.9, colour: WHITE }];
        await waitForSpots(() => device.screen(), page, 60_000);
        assert.equal(field(await device.get('/display'), 'loading'), true);
      } finally {
        release();
      }
    });

    await test('back to the waiting page', async () => {
      await device.showWaiting();
      await waitFor(async () => colourCount(await device.screen()) > 20, {
        timeoutMs: 120_000,
        what: 'the waiting page on the screen',
      });
    });
  },
});
