/** Remote control: what is done on the picture arrives at the compositor, by the agent's own code. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import { allow, assertNear, button, LEFT, openRemote, placeIn, RemoteScreen } from './remote-screen.ts';
import { Stage } from './stage.ts';

const SOON = { timeoutMs: 30_000, intervalMs: 20 };
const RIGHT = ['button 273 1', 'button 273 0'] as const;

let stage: Stage;
before(async () => {
  stage = await Stage.create();
});
after(() => stage.close());

const isAllowed = async () => field(await stage.client.get('/config'), 'input.remote');

test('it is off at first; it says what it is, and is switched on and off', async () => {
  const page = await stage.open();
  await page.getByRole('main').getByRole('link', { name: 'Remote control' }).click();
  const screen = await RemoteScreen.behind(page, stage.client);
  await page.getByRole('heading', { name: 'Remote control is off' }).waitFor();
  await page.getByText('Whoever reaches this device').waitFor();
  const refuse = { status: 403, json: { error: { code: 'forbidden', message: 'Not here.' } } };
  await page.route('**/api/v1/config', (route) => route.fulfill(refuse), { times: 1 });
  await button(page, 'Switch on remote control').click();
  await page.getByText('works only at its USB cable').waitFor();
  assert.equal(await isAllowed(), false);
  await button(page, 'Switch on remote control').click();
  await page.getByText('Remote control is on.').waitFor();
  assert.equal(await isAllowed(), true);
  await waitFor(() => screen.isRunning, { ...SOON, what: 'the pointer and the keyboard' });
  await button(page, 'Switch off').click();
  await page.getByRole('heading', { name: 'Remote control is off' }).waitFor();
  assert.equal(await isAllowed(), false);
  // By another host.
  await allow(stage, true);
  await page.getByText('Remote control is on.').waitFor();
  screen.close();
  await page.close();
});

test('presses, drags and the wheel arrive where they were in the picture', async () => {
  const { page, screen, close } = await openRemote(stage);
  const { mouse } = page;
  await mouse.click(...(await placeIn(page, 0.2, 0.7)));
  await screen.waitForLines(...LEFT);
  assertNear(screen.places.at(-1), 0.2, 0.7);
  const marker = await page.locator('.remote-marker').boundingBox();
  const [x, y] = await placeIn(page, 0.2, 0.7);
  assert.ok(
    marker && Math.abs(marker.x + marker.width / 2 - x) < 3 && Math.abs(marker.y + marker.height / 2 - y) < 3,
  );

  screen.forget();
  await mouse.move(...(await placeIn(page, 0.1, 0.1)));
  await mouse.down();
  await screen.waitForLines(LEFT[0]);
  assertNear(screen.places.at(-1), 0.1, 0.1);
  await mouse.move(...(await placeIn(page, 0.6, 0.4)), { steps: 30 });
  // Also beside the picture: at its edge.
  await mouse.move(...(await placeIn(page, 0.6, 1.05)));
  await mouse.up();
  await screen.waitForLines(...LEFT);
  assertNear(screen.places.at(-1), 0.6, 1);
  assert.ok(screen.lines.indexOf(LEFT[1]) > screen.lines.findLastIndex((line) => line.startsWith('move ')));

  screen.forget();
  await mouse.click(...(await placeIn(page, 0.9, 0.9)), { button: 'right' });
  await screen.waitForLines(...RIGHT);
  await mouse.move(...(await placeIn(page, 0.5, 0.5)));
  await mouse.wheel(0, 120);
  const scrolled = () => screen.events.reduce((sum, { dy = 0 }) => sum + dy, 0);
  await waitFor(() => scrolled() === 120, { ...SOON, what: 'the wheel' });
  assertNear(screen.places.at(-1), 0.5, 0.5);
  assert.equal(await page.evaluate('scrollY'), 0);
  // The first button as the right one.
  screen.forget();
  await page.getByLabel('Right-clicks').check();
  await page.locator('.remote-frame').scrollIntoViewIfNeeded();
  await mouse.click(...(await placeIn(page, 0.3, 0.3)));
  await screen.waitForLines(...RIGHT);
  assert.equal(screen.mostAtOnce, 1);
  await close();
});

test('what is pressed is released when the window loses the focus, and when the view is left', async () => {
  const { page, screen, close } = await openRemote(stage);
  await page.mouse.move(...(await placeIn(page, 0.5, 0.5)));
  await page.mouse.down();
  await screen.waitForLines(LEFT[0]);
  await page.evaluate("dispatchEvent(new Event('blur'))");
  await screen.waitForLines(...LEFT);
  await page.mouse.up();
  screen.forget();
  await page.mouse.down();
  await screen.waitForLines(LEFT[0]);
  // With the request on its way.
  screen.hold();
  await page.mouse.move(...(await placeIn(page, 0.6, 0.6)));
  await page.evaluate(`document.querySelector('nav a[href="/show"]').click()`);
  await page.getByRole('heading', { level: 1, name: 'Show' }).waitFor();
  screen.go();
  await screen.waitForLines(...LEFT);
  await close();
});

test('a finger clicks, and scrolls if that is chosen', async () => {
  const { page, screen, close } = await openRemote(stage, { width: 360, height: 640 });
  const touch = await page.context().newCDPSession(page);
  const send = async (type: 'touchStart' | 'touchMove' | 'touchEnd', ...places: [number, number][]) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: places.map(([x, y]) => ({ x, y })) });
  await send('touchStart', await placeIn(page, 0.25, 0.5));
  await send('touchEnd');
  await screen.waitForLines(...LEFT);
  assertNear(screen.places.at(-1), 0.25, 0.5);
  // A finger does not mean that the keyboard follows.
  await button(page, 'Type with this keyboard').waitFor();
  await page.getByLabel('Scrolls').check();
  await page.locator('.remote-frame').scrollIntoViewIfNeeded();
  screen.forget();
  await send('touchStart', await placeIn(page, 0.5, 0.75));
  await send('touchMove', await placeIn(page, 0.5, 0.5));
  await send('touchEnd');
  // A quarter of 720 pixels, like the page under a finger.
  const scrolled = () => screen.events.reduce((sum, { dy = 0 }) => sum + dy, 0);
  await waitFor(() => Math.abs(scrolled() - 180) < 10, { ...SOON, what: 'the page to be scrolled' });
  assert.ok(!screen.lines.includes(LEFT[0]));
  await close();
});

test('keys go to the screen from a click on the picture on, until Escape is pressed twice', async () => {
  const { page, screen, close } = await openRemote(stage);
  const { keyboard } = page;
  const focused = () => page.evaluate<string>('document.activeElement.textContent');
  await page.mouse.click(...(await placeIn(page, 0.5, 0.5)));
  await button(page, 'Stop typing').waitFor();
  await keyboard.type('aZ 1');
  for (const key of ['Backspace', 'Shift+Tab', 'Control+Home', 'Tab', 'Escape']) await keyboard.press(key);
  assert.equal(await focused(), 'Stop typing');
  await waitFor(() => screen.keys.includes('Escape'), { ...SOON, what: 'the keys' });
  assert.equal(screen.text, 'aZ 1');
  assert.deepEqual(screen.keys, [
    ...['Backspace', '+Shift', 'Tab', '-Shift', '+Control', 'Home', '-Control', 'Tab', 'Escape'],
  ]);
  await keyboard.press('Escape');
  await button(page, 'Type with this keyboard').waitFor();
  await keyboard.press('Tab');
  assert.notEqual(await focused(), 'Type with this keyboard');
  assert.equal(screen.keys.filter((key) => key === 'Escape').length, 1);

  // By keyboard alone: the keys that press a button are typed, too.
  screen.forget();
  await button(page, 'Type with this keyboard').focus();
  await keyboard.press('Enter');
  await button(page, 'Stop typing').waitFor();
  for (const key of ['b', 'Space', 'Enter']) await keyboard.press(key);
  await waitFor(() => screen.keys.includes('Enter'), { ...SOON, what: 'the keys' });
  assert.deepEqual([screen.text, screen.keys], ['b ', ['Enter']]);
  await button(page, 'Stop typing').click();
  await button(page, 'Type with this keyboard').waitFor();
  await close();
});

test('a text of any characters, pasted text, and keys by buttons', async () => {
  const { page, screen, close } = await openRemote(stage);
  const field = page.getByLabel('Type this text');
  const text = 'ü ß 漢字 😀 <b>';
  await field.fill(text);
  await field.press('ControlOrMeta+a');
  await field.press('ControlOrMeta+c');
  await button(page, 'Send').click();
  await page.locator('.toast-good', { hasText: 'typed on the screen' }).waitFor();
  assert.deepEqual([screen.text, await field.inputValue()], [text, '']);
  await button(page, 'Type with this keyboard').click();
  await button(page, 'Stop typing').waitFor();
  await page.keyboard.press('ControlOrMeta+v');
  await waitFor(() => screen.text === text + text, { ...SOON, what: 'the pasted text' });
  screen.forget();
  await button(page, 'Escape').click();
  await button(page, 'Shift + Tab').click();
  await button(page, 'Arrow left').click();
  await waitFor(() => screen.keys.includes('ArrowLeft'), { ...SOON, what: 'the keys' });
  assert.deepEqual(screen.keys, ['Escape', '+Shift', 'Tab', '-Shift', 'ArrowLeft']);
  await close();
});

test('failures say what to do; too many inputs are left out, and one request is made at a time', async () => {
  const { page, screen, close } = await openRemote(stage);
  screen.hasScreen = false;
  await button(page, 'Enter').click();
  await page.getByText('Check that a screen is connected').waitFor();
  await page.getByLabel('Type this text').fill('a');
  await button(page, 'Send').click();
  await page.locator('form').getByText('Check that a screen is connected').waitFor();
  screen.hasScreen = true;
  await button(page, 'Send').click();
  await page.getByText('Check that a screen is connected').first().waitFor({ state: 'detached' });
  await page.locator('.toast-good', { hasText: 'typed on the screen' }).waitFor();
  screen.forget();
  screen.hold();
  const many = "for (let i = 0; i < 100; i += 1) document.querySelector('button[aria-label=Enter]').click()";
  await page.evaluate(many);
  await page.getByText('The device is slower than what you do').waitFor();
  screen.go();
  await page.getByText('The device is slower than what you do').waitFor({ state: 'detached' });
  assert.equal(screen.keys.length, 65);
  assert.equal(screen.mostAtOnce, 1);
  await allow(stage, false);
  await page.getByRole('heading', { name: 'Remote control is off' }).waitFor();
  await close();
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
