import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import { type Colour, colourAt, near } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from '../harness/device.ts';
import { PageServer } from '../harness/pages.ts';
import { scenario } from '../harness/suite.ts';
import { TouchScreen } from '../harness/touch-screen.ts';

const GREEN: Colour = [0, 170, 102];
/** Behind the keys (browser/src/keyboard-draw.c). */
const KEYBOARD: Colour = [27, 30, 35];
/** The part of the screen that is the keyboard's, at the lower edge. */
const SHARE = 0.4;
const WAIT_MS = 120_000;
const KEYBOARDS = `for input in /sys/class/input/input*; do
  case $(cat $input/name) in *Keyboard*|*keyboard*)
    device=$(readlink -f $input/device); echo "$(readlink -f $device/driver) \${device##*/}" ;; esac; done`;

/** Stops the browser for 1 s during a tap; the late release must not count as a long press. */
const stall = (pid: string) =>
  `sleep 0.1; kill -STOP ${pid}; (sleep 1; kill -CONT ${pid}) >/dev/null 2>&1 &\n:`;

/** Fields at the top and below the middle, and a frame. Everything that the page and its frame see is reported. */
function formPage(inFrame = ''): string {
  return `<!doctype html><body bgcolor="#00aa66" style="margin:0;height:3000px">
    <form><input name="q" id="top" style="font-size:40px;width:500px"></form>${inFrame}
    <input id="low" style="position:absolute;left:0;top:600px;font-size:40px;width:500px">${RECORDER}`;
}
const RECORDER = `<script>
  const seen = [];
  for (const type of ['keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'touchstart', 'touchmove', 'touchend',
      'pointerdown', 'pointermove', 'pointerup', 'mousedown', 'mousemove', 'mouseup', 'click', 'wheel', 'focusin', 'resize', 'scroll'])
    addEventListener(type, (e) => seen.push([type, e.key ?? e.data ?? e.target.id ?? ''].join(' ').trim()), true);
  // One request at a time: the order counts.
  const report = async () => {
    if (seen.length) await fetch('/seen?' + encodeURIComponent(seen.splice(0).join())).catch(() => 0);
    setTimeout(report, 100);
  };
  report();
</script>`;

/** Where a key of the English layout is, 0 to 1 of the screen. */
function key(name: string): [x: number, y: number] {
  const place = (row: number, at: number): [number, number] => [at, 1 - SHARE + (SHARE * (row + 0.5)) / 4];
  const [first, second] = ['qwertyuiop'.indexOf(name), 'asdfghjkl'.indexOf(name)];
  if (first >= 0) return place(0, (first + 0.5) / 10);
  if (second >= 0) return place(1, (second + 0.5) / 9);
  // With a language key; its row has 14 units.
  const units: Record<string, number> = { language: 2, enter: 12.25, hide: 13.5 };
  return place(3, (units[name] ?? Number.NaN) / 14);
}

/** What pages have reported, in order. */
function seen(pages: PageServer, from = 0): string[] {
  return pages.requests
    .slice(from)
    .filter((path) => path.startsWith('/seen?'))
    .flatMap((path) => decodeURIComponent(path.slice('/seen?'.length)).split(','));
}

const lowerEdge = async (device: Device): Promise<Colour> => colourAt(await device.screen(), 0.5, 0.998);

async function waitForKeyboard(device: Device, isShown: boolean): Promise<void> {
  await waitFor(async () => near(await lowerEdge(device), isShown ? KEYBOARD : GREEN), {
    timeoutMs: WAIT_MS,
    what: isShown ? 'the keyboard on the screen' : 'the page at the lower edge of the screen',
    intervalMs: 200,
  });
}

export default scenario({
  title: 'the on-screen keyboard types into pages and frames, which see nothing of it but their keys',
  needs: 'machine',
  parts: ['input'],
  machine: 'shared',
  run: async ({ device, pages, test, longTest }) => {
    const others = await PageServer.start();
    const keyboards = await device.shell.ok(KEYBOARDS);
    const touch = await TouchScreen.plug(device);
    const configure = (browser: object) => device.act('PATCH', '/config', { browser });
    const show = async (url: string) => {
      await device.act('POST', '/display/navigate', { url });
      await device.waitForDisplay((d) => field(d, 'url') === url && field(d, 'loading') === false, url);
      await waitForKeyboard(device, false);
    };
    const reported = (server: PageServer, what: string, from = 0) =>
      waitFor(() => seen(server, from).includes(what), {
        timeoutMs: WAIT_MS,
        what: `the page to report ${what}`,
      });
    /** Checks the text with which a form was sent last, by the number of times that its address was sent to. */
    const sent = new Map<string, number>();
    const submitted = async (url: string, server: PageServer, text: string) => {
      const before = sent.get(url) ?? 0;
      sent.set(url, before + 1);
      const all = () => server.requests.map((path) => server.origin + path);
      const found = await waitFor(() => all().filter((each) => each.startsWith(`${url}?`))[before], {
        timeoutMs: WAIT_MS,
        what: 'a form to be sent',
      });
      assert.equal(found, `${url}?q=${text}`);
    };
    /** Taps keys. */
    const type = async (...keys: string[]) => {
      for (const name of keys) await touch.tap(...key(name));
    };
    /** Checks that the tap before has shown no keyboard, here and in earlier tests. */
    const expectNoKeyboard = async () => {
      // The browser decides 250 ms after a tap (SETTLE_MS in browser/src/keyboard.c), and answers this later.
      await device.runScript('await new Promise((done) => setTimeout(done, 1000))');
      assert.ok(near(await lowerEdge(device), GREEN));
      assert.ok(!seen(pages).includes('resize'), String(seen(pages)));
    };
    const form = pages.add(formPage());
    const bind = (how: 'bind' | 'unbind') =>
      device.shell.ok(`echo '${keyboards}' | while read -r driver name; do echo $name >$driver/${how}; done`);

    try {
      await test('off: touching a field shows no keyboard', async () => {
        await configure({ on_screen_keyboard: 'off', keyboard_layouts: ['en', 'de'] });
        await show(form);
        await touch.tap(0.1, 0.03);
        await reported(pages, 'focusin top');
        await expectNoKeyboard();
      });

      await test('auto: only while there is a touch screen and no keyboard, also when one is plugged in', async () => {
        await configure({ on_screen_keyboard: 'auto' });
        const from = pages.requests.length;
        await touch.tap(0.1, 0.03);
        await reported(pages, 'click top', from);
        await expectNoKeyboard();
        await bind('unbind');
        await waitFor(
          async () => {
            await touch.tap(0.1, 0.03);
            return near(await lowerEdge(device), KEYBOARD);
          },
          { timeoutMs: WAIT_MS, what: 'the keyboard on the screen', intervalMs: 1000 },
        );
        await bind('bind');
        await waitForKeyboard(device, false);
      });

      await test('on: the text of the keys arrives, and nothing else of the touches', async () => {
        await configure({ on_screen_keyboard: 'on' });
        await show(form);
        const before = pages.requests.length;
        await touch.tap(0.1, 0.03);
        await waitForKeyboard(device, true);
        // The last events of the tap.
        await reported(pages, 'click top', before);
        await reported(pages, 'resize', before);
        const from = pages.requests.length;
        await type('t', 'o', 'u', 'r', 'enter');
        await submitted(form, pages, 'tour');
        const kinds = new Set(seen(pages, from).map((event) => event.split(' ')[0]));
        const allowed = [
          'keydown',
          'keypress',
          'keyup',
          'beforeinput',
          'input',
          'click',
          'focusin',
          'resize',
        ];
        // WebKit's own: Enter clicks the form's button. The page of the answer has no keyboard: it gets its full size.
        assert.deepEqual(
          [...kinds].filter((kind) => !allowed.includes(String(kind))),
          [],
        );
        assert.ok(kinds.has('keydown') && kinds.has('input'), String([...kinds]));
        await waitForKeyboard(device, false);
      });

      await longTest('another layout, and an accent by a long press', async () => {
        await show(form);
        await touch.tap(0.1, 0.03);
        await waitForKeyboard(device, true);
        await touch.tap(...key('e'), 'sleep 1.2');
        // The variants of e fill the row: é is the first of four.
        await touch.tap(0.12, key('q')[1]);
        await touch.tap(...key('language'));
        // The sixth of eleven letters: y in English, z in German.
        await touch.tap(5.5 / 11, key('q')[1]);
        await type('enter');
        await submitted(form, pages, '%C3%A9z');
      });

      await test('a frame of another origin, under a content security policy without scripts', async () => {
        const policy = { 'content-security-policy': "default-src 'none'" };
        const frame = others.add('<!doctype html><form><input name="q" size="40"></form>', 200, policy);
        await show(pages.add(formPage(`<iframe src="${frame}" width="600" height="100"></iframe>`)));
        const from = pages.requests.length;
        await touch.tap(0.1, 0.103);
        await waitForKeyboard(device, true);
        await configure({ keyboard_layouts: ['en', 'fr'] });
        await type('w', 'e', 'enter');
        await submitted(frame, others, 'we');
        assert.deepEqual(
          seen(pages, from).filter((event) => /key|input/.test(event)),
          [],
        );
      });

      await longTest(
        'a page under a strict content security policy, and a tap whose end comes late',
        async () => {
          const strict = pages.add(
            '<!doctype html><body bgcolor="#00aa66"><form><input name="q" size="40"></form>',
            200,
            { 'content-security-policy': "default-src 'none'" },
          );
          await show(strict);
          await touch.tap(0.1, 0.03);
          await waitForKeyboard(device, true);
          // Before the touch: on a busy device the search may take longer than a tap may last.
          const browser = (await device.shell.ok('pidof vitrine-browser')).trim();
          await touch.tap(...key('o'), stall(browser));
          await type('k', 'enter');
          await submitted(strict, pages, 'ok');
        },
      );

      await longTest(
        'a field at the lower edge is scrolled into view, and a screenshot shows the page only',
        async () => {
          await show(form);
          const from = pages.requests.length;
          await touch.tap(0.1, 0.87);
          await waitForKeyboard(device, true);
          await reported(pages, 'scroll', from);
          const { width, height } = await device.screen();
          const shot = await device.screenshot();
          assert.deepEqual([shot.width, shot.height], [width, Math.round(height * (1 - SHARE))]);
          assert.ok(near(colourAt(shot, 0.9, 0.99), GREEN));
          // The hide key works whatever the page does.
          await touch.tap(...key('hide'));
          await waitForKeyboard(device, false);
        },
      );

      await test('a page that focuses a field by itself shows no keyboard', async () => {
        // The keyboard of an earlier page resizes the page while it goes.
        await show(form);
        const from = pages.requests.length;
        await show(
          pages.add(`${formPage()}<script>setInterval(() => { top0.blur(); top0.focus(); }, 300);
          const top0 = document.querySelector('#top');</script>`),
        );
        await waitFor(() => seen(pages, from).filter((event) => event === 'focusin top').length > 5, {
          timeoutMs: WAIT_MS,
          what: 'the page to focus its field',
        });
        assert.ok(near(await lowerEdge(device), GREEN));
        assert.ok(!seen(pages, from).includes('resize'), String(seen(pages, from)));
      });
    } finally {
      await touch.unplug();
      await configure({ on_screen_keyboard: null, keyboard_layouts: null });
      await others.close();
      await device.showWaiting();
    }
  },
});
