import assert from 'node:assert/strict';
import type { SocketChannel } from '../../client/http.ts';
import { field } from '../../testing/field.ts';
import { matchingState } from '../../testing/matching-state.ts';
import type { Colour } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import { killPage, killProcesses, processes } from '../harness/guest.ts';
import { type ScenarioContext, scenario } from '../harness/suite.ts';

const BLUE: Colour = [16, 32, 200];
const LIME: Colour = [160, 220, 20];
const BACK_MS = 180_000;
/** A page, a kill and the page again, on a busy computer. */
const KILL_MS = 30_000;

/** What the screen, the API and the network and sound of pages need. */
const SERVICES = [
  ...['dbus-daemon', 'systemd-logind', 'systemd-networkd', 'systemd-resolved', 'systemd-timesyncd'],
  ...['systemd-udevd', 'systemd-journald', 'pipewire', 'wireplumber', 'cage'],
];
const ENDS_PAGE: ReadonlySet<string> = new Set(['dbus-daemon', 'cage']);

/** Shows a new page and waits until it is visible. */
async function showPage({ device, pages }: ScenarioContext): Promise<string> {
  const url = pages.addColours(BLUE, LIME);
  await device.act('POST', '/display/navigate', { url });
  await device.waitForColours(BLUE, LIME);
  await device.waitForDisplay((state) => field(state, 'loading') === false, 'the page to be loaded');
  return url;
}

/** Kills a process of the kiosk, and checks that the page is restored automatically and events report it. */
async function killAndCheckRecovery(context: ScenarioContext, name: string): Promise<void> {
  const { device, pages } = context;
  const url = await showPage(context);
  const socket = await device.events('display_state');
  try {
    const mark = socket.events.mark;
    const loads = pages.loads(url);
    await killProcesses(device, name);
    // It is loaded again only because of the kill.
    await waitFor(() => pages.loads(url) > loads, {
      timeoutMs: BACK_MS,
      what: 'the page to be loaded again',
    });
    await socket.events.next(
      'display_state',
      mark,
      (payload) => field(payload, 'loading') === true || field(payload, 'error') !== null,
    );
    await device.waitForColours(BLUE, LIME, BACK_MS);
    await socket.events.next(
      'display_state',
      mark,
      (payload) =>
        field(payload, 'url') === url &&
        field(payload, 'loading') === false &&
        field(payload, 'error') === null,
    );
    assert.equal(field(await device.get('/display'), 'url'), url);
  } finally {
    await socket.close();
  }
}

/**
 * Kills the web process again and again, each time with another page on the screen, and checks that this page comes
 * back. Prints how long it took from the kill until the page was requested again.
 */
async function killPages(context: ScenarioContext, count: number): Promise<void> {
  const { device, pages, print } = context;
  const times: number[] = [];
  for (let kill = 0; kill < count; kill += 1) {
    const url = await showPage(context);
    times.push(await killPage(device, pages, url, BACK_MS));
    await device.waitForColours(BLUE, LIME, BACK_MS);
    const back = (state: unknown): boolean =>
      field(state, 'url') === url && field(state, 'loading') === false && field(state, 'error') === null;
    await device.waitForDisplay(back, 'the page that was killed');
  }
  times.sort((a, b) => a - b);
  const at = (part: number) => Math.round(times[Math.floor(part * (times.length - 1))] ?? 0);
  print(`requested again after ${at(0.5)} ms (median), ${at(1)} ms at most`);
}

/** Kills one service after the other, in random order, and checks that the page and everything else is back. */
async function killServices(context: ScenarioContext, count: number): Promise<void> {
  const { device, pages, print } = context;
  const isShown = (url: string) => (state: unknown) =>
    field(state, 'url') === url && field(state, 'loading') === false && field(state, 'error') === null;
  const order = Array.from({ length: count }, (_, kill) => SERVICES[kill % SERVICES.length] ?? '')
    .map((name) => ({ name, at: Math.random() }))
    .sort((a, b) => a.at - b.at);
  print(order.map(({ name }) => name).join(', '));
  for (const { name } of order) {
    const url = await showPage(context);
    let before = await processes(device, name);
    // A container has no udev.
    if (before.length === 0 && name === 'systemd-udevd') continue;
    const isRunning = async () => {
      before = await processes(device, name);
      return before.length > 0;
    };
    // WirePlumber ends with PipeWire, and starts a moment later.
    await waitFor(isRunning, { timeoutMs: BACK_MS, what: `${name} to run` });
    const loads = pages.loads(url);
    await killProcesses(device, name);
    await waitFor(async () => (await processes(device, name)).some((pid) => !before.includes(pid)), {
      timeoutMs: BACK_MS,
      what: `${name} to run again`,
    });
    if (ENDS_PAGE.has(name)) {
      const isAgain = () => pages.loads(url) > loads;
      await waitFor(isAgain, { timeoutMs: BACK_MS, what: `the page to be loaded again after ${name}` });
    }
    await device.waitForDisplay(isShown(url), `the page to be shown after ${name}`, BACK_MS);
    await device.waitForColours(BLUE, LIME, BACK_MS);
    assert.equal(await device.runScript('6 * 7'), 42);
    await waitFor(async () => String(field(await device.get('/device/health'), 'problems')) === '', {
      timeoutMs: BACK_MS,
      what: `no problem in health after ${name}`,
    });
    // What has lost the bus does not know its clients any more, and names are not resolved.
    await device.shell.ok(
      'loginctl --no-pager list-sessions && resolvectl --no-pager && networkctl --no-pager',
    );
  }
}

/** Kills the agent, and checks that the page stays and the restarted agent reports it on both links. */
async function killAgentAndCheckRecovery(context: ScenarioContext): Promise<void> {
  const { device, pages } = context;
  const url = await showPage(context);
  const shown = (payload: unknown): boolean =>
    field(payload, 'url') === url &&
    field(payload, 'mode') === 'url' &&
    field(payload, 'loading') === false &&
    field(payload, 'error') === null;
  const before = await device.events('display_state');
  const serial = await device.serial();
  let after: SocketChannel | undefined;
  try {
    const pid = await device.shell.ok('systemctl show -P MainPID vitrine-agent.service');
    const { mark } = serial.others;
    await device.shell.ok(`kill -9 ${pid}`);
    await waitFor(() => before.closed !== undefined, { timeoutMs: BACK_MS, what: 'the socket to be closed' });
    // The host's end of the link stays open: the restarted agent sends a hello by itself.
    await serial.frame('hello', mark, BACK_MS);
    await waitFor(async () => shown((await serial.request('GET', '/display')).body), {
      timeoutMs: BACK_MS,
      what: 'the same page as before',
      intervalMs: 500,
    });
    await device.waitForColours(BLUE, LIME, BACK_MS);
    assert.notEqual(await device.shell.ok('systemctl show -P MainPID vitrine-agent.service'), pid);
    assert.equal(pages.loads(url), 1, 'the page was reloaded when the agent was killed');

    // A host that subscribes again gets the events from then on.
    after = await device.events('display_state');
    await serial.subscribe('display_state');
    const [onSocket, onSerial] = [after.events.mark, serial.events.mark];
    await device.act('POST', '/display/reload');
    // Wait for the reload to finish; the state before it may look the same.
    const reloaded = async (): Promise<unknown> => {
      const display = await device.get('/display');
      return shown(display) ? display : 'not yet';
    };
    await matchingState(after.events, 'display_state', onSocket, reloaded);
    await matchingState(serial.events, 'display_state', onSerial, reloaded);
    assert.equal(pages.loads(url), 2);
  } finally {
    await serial.close();
    await after?.close();
    await before.close();
  }
}

export default scenario({
  title: 'after SIGKILL of any process the page is restored automatically, and events report it',
  needs: 'system',
  machine: 'shared',
  run: async (context) => {
    const { device, longTest, options, pages, test } = context;

    const { kills } = options;
    await test(
      `WebKit’s web process, ${kills} times`,
      () => killPages(context, kills),
      KILL_MS * (kills + 10),
    );
    await test('WebKit’s web process, with events', () => killAndCheckRecovery(context, 'WPEWebProcess'));
    await test('the browser', () => killAndCheckRecovery(context, 'vitrine-browser'));
    await test('the compositor', () => killAndCheckRecovery(context, 'cage'));

    await test(
      'each service that the screen needs',
      () => killServices(context, SERVICES.length),
      KILL_MS * SERVICES.length,
    );
    await longTest(
      `${kills} services in random order`,
      () => killServices(context, kills),
      KILL_MS * (kills + 10),
    );

    await test('the agent', () => killAgentAndCheckRecovery(context));

    await test('POST /display/restart-browser keeps the page and stored data, even with clear_data_on_boot', async () => {
      const url = await showPage(context);
      await device.act('PATCH', '/config', { browser: { clear_data_on_boot: true } });
      const stored = '/data/kiosk/storage/left';
      await device.shell.ok(`install -D -o kiosk /dev/null ${stored}`);
      const [before] = await processes(device, 'vitrine-browser');
      await device.act('POST', '/display/restart-browser');
      await waitFor(() => pages.loads(url) > 1, { timeoutMs: BACK_MS, what: 'the page to be loaded again' });
      await device.waitForColours(BLUE, LIME, BACK_MS);
      const [after] = await processes(device, 'vitrine-browser');
      assert.notEqual(after, before);
      await device.shell.ok(`rm ${stored}`);
      await device.act('PATCH', '/config', { browser: null });
    });

    await device.showWaiting();
  },
});
