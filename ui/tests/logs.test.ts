/**
 * The view "Logs". Where tests run there is often no journal, so the records come from the test: the stored ones in place
 * of the agent's answer, the live ones on the agent's own event socket.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { waitFor } from '../../testing/wait.ts';
import type { LogRecord } from '../src/views/logs/log-feed.ts';
import { contentOf, type OpenOptions } from './app-browser.ts';
import { EventTap } from './event-tap.ts';
import { checkAccessibility, checkTargets, checkWidth, Stage, savePicture, THEMES, WIDTHS } from './stage.ts';

const SOON = { timeoutMs: 60_000, intervalMs: 50 };
const START = Date.UTC(2026, 10, 27, 10);

let stage: Stage;
let tap: EventTap;
before(async () => {
  stage = await Stage.create();
  tap = await EventTap.open(stage.agent.api);
});
after(async () => {
  await tap.close();
  await stage.close();
});

let written = 0;
function record(message: string, fields: Partial<LogRecord> = {}): LogRecord {
  written += 1;
  return {
    ts: new Date(START + written * 10).toISOString(),
    level: 'info',
    source: 'vitrine-agent',
    message,
    cursor: `s=${written.toString(16)}`,
    ...fields,
  };
}

const STORED = [
  record('Linux version 6.12.62', { source: 'kernel' }),
  record('the browser is connected'),
  record('wlan0: link is not ready', { source: 'kernel', level: 'warning' }),
  record('the page was loaded', { level: 'debug' }),
  record('the data partition is nearly full', { level: 'error' }),
];

/** Opens the log on a device that has stored these records. */
async function open(stored: readonly LogRecord[] = STORED, options: OpenOptions = {}): Promise<Page> {
  const page = await stage.open({
    ...{ path: '/logs', origin: tap.origin, ...options },
    prepare: async (one) => {
      await one.route('**/api/v1/device/logs*', (route) => route.fulfill({ json: stored }));
    },
  });
  await rowsOf(page).first().waitFor();
  return page;
}

const rowsOf = (page: Page) => page.getByRole('listbox', { name: 'Log of the device' }).getByRole('option');
const isLast = (page: Page, text: string) => rowsOf(page).last().filter({ hasText: text }).waitFor();

test('what the real agent has is shown, or why it has nothing', async () => {
  const page = await stage.open({ path: '/logs' });
  const { status, body } = await stage.client.request('GET', '/device/logs?limit=1');
  if (status === 503) await page.getByText('This device does not have this').waitFor();
  else {
    assert.ok(Array.isArray(body));
    await rowsOf(page).or(page.getByText('The log is empty')).first().waitFor();
  }
  await page.close();
});

test('stored lines, then live ones; filters and search with marks', async () => {
  const page = await open();
  const rows = rowsOf(page);
  assert.equal(await rows.count(), STORED.length);
  // One that was stored and arrives live, too, is listed once.
  tap.emit('log', [...STORED.slice(-1), record('a live line', { source: 'chronyd' })]);
  await isLast(page, 'a live line');
  assert.equal(await rows.count(), STORED.length + 1);
  await page.getByLabel('Level').selectOption('warning');
  await waitFor(async () => (await rows.count()) === 2, { ...SOON, what: 'warnings and errors' });
  await page.getByLabel('Program').selectOption('kernel');
  await waitFor(async () => (await rows.count()) === 1, { ...SOON, what: 'those of the kernel' });
  await page.getByText('1 of 6 lines match.').waitFor();
  await page.getByLabel('Level').selectOption('debug');
  await page.getByLabel('Program').selectOption('');
  await page.getByLabel('Search').fill('NEARLY full');
  await page.locator('mark', { hasText: 'nearly full' }).waitFor();
  assert.equal(await rows.count(), 1);
  await page.getByLabel('Search').fill('<b>nothing</b>');
  await page.getByText('No line matches').waitFor();
  await page.close();
});

test('a pause counts what arrives; scrolling up and choosing a line pause, too', async () => {
  const page = await open(Array.from({ length: 300 }, (_, n) => record(`stored ${n}`)));
  await isLast(page, 'stored 299');
  await page.getByRole('button', { name: 'Pause' }).click();
  tap.emit('log', [record('one'), record('two')]);
  await page.getByRole('button', { name: 'Go on, 2 new' }).click();
  await isLast(page, 'two');
  const list = page.getByRole('listbox', { name: 'Log of the device' });
  await list.hover();
  await page.mouse.wheel(0, -600);
  await page.getByText('Scroll to the end to see new lines again.').waitFor();
  tap.emit('log', [record('three')]);
  await page.getByRole('button', { name: 'Go on, 1 new' }).waitFor();
  await page.mouse.wheel(0, 10_000);
  await isLast(page, 'three');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  // By keyboard alone.
  await list.focus();
  await page.keyboard.press('Home');
  const chosen = page.locator('[role=option][aria-selected=true]');
  await chosen.filter({ hasText: 'stored 0' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await chosen.filter({ hasText: 'stored 1' }).waitFor();
  assert.equal(await list.getAttribute('aria-activedescendant'), await chosen.getAttribute('id'));
  const [box, row] = [await list.boundingBox(), await chosen.boundingBox()];
  assert.ok(box && row && row.y >= box.y && row.y + row.height <= box.y + box.height, 'it can be seen');
  await page.keyboard.press('Escape');
  await isLast(page, 'three');
  await page.close();
});

test('what is shown is copied and saved', async () => {
  const page = await open();
  await page.getByLabel('Program').selectOption('kernel');
  await page.getByText('2 of 5 lines match.').waitFor();
  const lines = [
    /^2026-11-27T10:\S+ info kernel Linux version 6\.12\.62$/,
    /^2026-11-27T10:\S+ warning kernel wlan0: link is not ready$/,
  ];
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  assert.match(download.suggestedFilename(), /^vitrine-log-\d{4}-[\dT-]+\.txt$/);
  const saved = String(await contentOf(download))
    .trimEnd()
    .split('\n');
  assert.equal(saved.length, lines.length);
  for (const [n, line] of lines.entries()) assert.match(saved[n] ?? '', line);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.locator('.toast-good', { hasText: 'Copied' }).waitFor();
  // A field of one line puts spaces in place of line ends.
  await page.getByLabel('Search').press('ControlOrMeta+v');
  assert.equal(await page.getByLabel('Search').inputValue(), saved.join(' ').slice(0, 200));
  await page.close();
});

test('hostile lines are text only, and bounded', async () => {
  const page = await open();
  const hostile = [
    '<img src=x onerror="window.broken = 1"><script>window.broken = 1</script>',
    '\u001b]0;title\u0007\u001b[2J\u001b[31mred\u202etxt.exe',
    `begin${'y'.repeat(100_000)}`,
    `${'line\n'.repeat(1000)}`,
  ];
  tap.emit(
    'log',
    hostile.map((message, n) => record(message, { source: `<b>${n}</b>`, level: 'error' })),
  );
  const rows = rowsOf(page);
  await rows.nth(STORED.length + 3).waitFor();
  const texts = await rows.allTextContents();
  assert.match(texts[STORED.length] ?? '', /<b>0<\/b>[\s\S]*<img src=x onerror="window.broken = 1"><script>/);
  assert.match(
    texts[STORED.length + 1] ?? '',
    /\\u001b]0;title\\u0007\\u001b\[2J\\u001b\[31mred\\u202etxt\.exe/,
  );
  const heights = await rows.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  assert.equal(new Set(heights).size, 1, 'all rows have the same height');
  await rows.nth(STORED.length + 2).click();
  const detail = page.getByRole('region', { name: 'The chosen line' });
  await detail.getByText('83,621 more characters are not shown.').waitFor();
  assert.ok((await page.content()).length < 200_000);
  assert.equal(
    await page.evaluate('document.querySelector(".stream :is(img, script, b)") ?? window.broken'),
    undefined,
  );
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  await page.close();
});

/** How long a click takes until what it opens is on the screen, several times, in ms. */
async function answerTimes(page: Page, beforeEach: (round: number) => void): Promise<number[]> {
  await page.evaluate(`
    globalThis.times = [];
    globalThis.stopWatch?.abort();
    globalThis.stopWatch = new AbortController();
    addEventListener('click', ({ timeStamp }) => {
      const look = () => {
        if (document.querySelector('dialog[open]')) times.push(performance.now() - timeStamp);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, { capture: true, signal: stopWatch.signal });
  `);
  const button = page.getByRole('button', { name: 'Log of the device: the request as code' });
  const box = await button.boundingBox();
  assert.ok(box);
  for (let round = 0; round < ROUNDS; round += 1) {
    beforeEach(round);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await waitFor(async () => Number(await page.evaluate('times.length')) > round, {
      ...{ timeoutMs: SOON.timeoutMs, intervalMs: 10 },
      what: 'the dialog',
    });
    await page.keyboard.press('Escape');
    // Not only closed: until the view knows it, a click opens nothing.
    await page.locator('dialog').waitFor({ state: 'detached' });
  }
  return await page.evaluate('times');
}

const ROUNDS = 20;
const LINES = 10_000;

test('10 000 lines leave the page time for the user, and few elements', async (t) => {
  const page = await open();
  const idle = await answerTimes(page, () => undefined);
  const begun = performance.now();
  const flooded = await answerTimes(page, (round) => {
    const lines = Array.from({ length: LINES / ROUNDS }, (_, n) =>
      record(`line ${round * (LINES / ROUNDS) + n} of a flood, with what programs usually write`, {
        level: n % 10 === 0 ? 'warning' : 'info',
      }),
    );
    tap.emit('log', lines);
  });
  const perMinute = Math.round((LINES * 60_000) / (performance.now() - begun));
  await isLast(page, `line ${LINES - 1} of`);
  await page.getByText('5,000 lines. 5,005 older lines were removed to make room.').waitFor();
  const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[ROUNDS / 2] ?? Number.NaN;
  t.diagnostic(
    `${perMinute} lines a minute; a click takes ${median(idle).toFixed()} ms idle, ${median(flooded).toFixed()} ms in the flood`,
  );
  assert.ok(perMinute >= 10_000, `${perMinute} lines a minute`);
  assert.ok((await rowsOf(page).count()) < 60);
  assert.ok(Number(await page.evaluate('document.querySelectorAll("*").length')) < 1000);
  await page.close();
});

test('the log is accessible, and nothing is cut off', async () => {
  const many = Array.from({ length: 40 }, (_, n) =>
    record(`the page http://signs.example/lobby?floor=${n} was loaded in ${n * 7} ms`, {
      source: n % 3 === 0 ? 'kernel' : 'vitrine-agent',
      level: (['info', 'warning', 'info', 'error', 'debug'] as const)[n % 5] ?? 'info',
    }),
  );
  const page = await open(many, { width: 360, height: 640 });
  await rowsOf(page).last().click();
  await page.getByRole('region', { name: 'The chosen line' }).waitFor();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await checkWidth(page, `logs with lines, ${width}`);
    await checkTargets(page, `logs with lines, ${width}`);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await checkAccessibility(page, `logs with lines, ${theme}, ${width}`);
      await savePicture(page, `logs-lines-${theme}-${width}`);
    }
  }
  await page.close();
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
