/** The screens that the compositor drives, and their rotation. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { CONFIG, CONNECTOR, DisplayStage, screenConfig, TIMING } from '../../../../testing/display-stage.ts';
import type { FakeBrowser } from '../../../../testing/fake-browser.ts';
import type { Compositor, Connector } from './ports.ts';

const URL_A = 'http://a.example/';
/** Of a system without graphics hardware. */
const NO_CONNECTORS = { read: async () => [] };

let stage: DisplayStage;
let browser: FakeBrowser;

/** The browser's compositor, which lists its outputs only while `answers`. */
const compositorThat = (answers: () => boolean): Compositor => ({
  outputs: async () => {
    if (!answers()) throw new Error('timeout');
    return await browser.outputs();
  },
  drive: (...asked) => browser.drive(...asked),
});

const until = (what: string, condition: () => boolean) => stage.until(what, condition);

beforeEach(() => {
  stage = new DisplayStage();
  ({ browser } = stage);
});
afterEach(() => stage.display.stop());

test('rotates the screen live, and again after a restart of the compositor', async () => {
  await stage.showing(URL_A);
  stage.config = { ...CONFIG, rotation: 180, screens: { 'Virtual-1': screenConfig(90, null) } };
  await stage.display.screens.driveNow();
  assert.ok(browser.calls.includes('drive Virtual-1 90'));
  assert.equal(stage.display.state().rotation, 90);
  assert.equal(stage.touchRotation, 90);
  browser.unplug();
  browser.plug();
  await until('the second turn', () => browser.count('drive Virtual-1 90') === 2);
});

test('a compositor that refused gets the command again', async () => {
  let refusals = 2;
  const compositor: Compositor = {
    outputs: () => browser.outputs(),
    drive: async (...asked) => {
      if (refusals > 0) throw new Error(`${refusals--} more refusals`);
      await browser.drive(...asked);
    },
  };
  await stage.showing(URL_A, { compositor, checkEveryMs: 20 });
  await until('the turn', () => browser.count('drive Virtual-1 0') === 1);
  assert.equal(refusals, 0);
});

test('of two screens only the first is driven, and the other one when the first is unplugged', async () => {
  const connector = (id: string, connected: boolean): Connector => {
    return { id, connected, powered: connected, modes: ['1280x720'], make: null, model: null, sizeMm: null };
  };
  let plugged = ['HDMI-A-1', 'HDMI-A-2'];
  browser.compositorOutputs = plugged;
  const connectors = {
    read: async () => ['HDMI-A-1', 'HDMI-A-2'].map((id) => connector(id, plugged.includes(id))),
  };
  await stage.showing(URL_A, { connectors, checkEveryMs: 20 });
  await until('the first', () => browser.count('drive HDMI-A-1 0 -HDMI-A-2') === 1);
  assert.equal(stage.display.screens.primary?.id, 'HDMI-A-1');
  plugged = ['HDMI-A-2'];
  browser.compositorOutputs = plugged;
  await until('the second', () => browser.count('drive HDMI-A-2 0') === 1);
  assert.equal(stage.display.screens.primary?.id, 'HDMI-A-2');
  // The kernel knows of it before the compositor does.
  plugged = ['HDMI-A-1', 'HDMI-A-2'];
  await until('the first one as primary', () => stage.display.screens.primary?.id === 'HDMI-A-1');
  browser.compositorOutputs = plugged;
  await until('the first again', () => browser.count('drive HDMI-A-1 0 -HDMI-A-2') === 2);
  assert.equal(browser.count('drive'), 3);
});

test('a screen that was unplugged between two checks is rotated again, and no other stays on', async () => {
  browser.compositorOutputs = ['Virtual-1', 'HDMI-A-1'];
  await stage.showing(URL_A, { config: () => ({ ...CONFIG, rotation: 90 }), checkEveryMs: 10 });
  await until('the turn', () => browser.count('drive Virtual-1 90 -HDMI-A-1') === 1);
  const asked = browser.count('outputs');
  await until('a look at what was turned', () => browser.count('outputs') > asked + 2);
  browser.turned.delete('Virtual-1');
  await until('the second turn', () => browser.count('drive Virtual-1 90 -HDMI-A-1') === 2);
  const then = browser.count('outputs');
  await until('another look', () => browser.count('outputs') > then + 2);
  browser.turned.delete('HDMI-A-1');
  await until('the other one off', () => browser.count('drive Virtual-1 90 -HDMI-A-1') === 3);
});

for (const [outcome, commands] of [
  ['fails', 2],
  ['works', 1],
] as const)
  test(`commands to a compositor that hangs and then ${outcome} do not pile up`, async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let asked = 0;
    const hanging = Promise.withResolvers<void>();
    const compositor: Compositor = {
      outputs: () => browser.outputs(),
      drive: async (...given) => {
        asked += 1;
        await hanging.promise;
        if (outcome === 'fails') throw new Error('it hung');
        await browser.drive(...given);
      },
    };
    await stage.showing(URL_A, { compositor, checkEveryMs: 1000 });
    await until('the first', () => asked === 1);
    for (let look = 0; look < 20; look += 1) {
      t.mock.timers.tick(1000);
      await new Promise(setImmediate);
    }
    hanging.resolve();
    // One from before the checks and, if that failed, one of the only check that waited for it.
    await until('the last', () => asked === commands);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    assert.equal(asked, commands);
  });

test('a compositor that ignores commands does not get one at every check', async () => {
  const compositor: Compositor = {
    outputs: () => browser.outputs(),
    drive: async (...asked) => {
      await browser.drive(...asked);
      browser.turned.clear();
    },
  };
  await stage.showing(URL_A, { compositor, config: () => ({ ...CONFIG, rotation: 90 }), checkEveryMs: 10 });
  await until('many looks', () => browser.count('outputs') > 10);
  assert.equal(browser.count('drive'), 1);
});

test('a forced mode and a scale are used at every start of the compositor', async () => {
  const config = { ...CONFIG, scale: 1.5, screens: { 'Virtual-1': screenConfig(0, null, '800x600@60') } };
  await stage.showing(URL_A, { config: () => config });
  await until('the mode', () => browser.count('drive Virtual-1 0 x1.5 800x600@60') === 1);
  browser.unplug();
  browser.plug();
  await until('the mode again', () => browser.count('drive Virtual-1 0 x1.5 800x600@60') === 2);
});

test('a changed forced mode waits for the next boot, a changed scale does not', async () => {
  await stage.showing(URL_A, {});
  stage.config = { ...CONFIG, forced_mode: '800x600@60', scale: 2 };
  await stage.display.screens.driveNow();
  assert.equal(browser.count('drive Virtual-1 0 x2'), 1);
  assert.equal(browser.count('drive Virtual-1 0 x2 800x600@60'), 0);
});

test('a mode that the screen does not take costs no picture, is tried once, and health reports it', async () => {
  let tries = 0;
  let model = 'A';
  const compositor: Compositor = {
    outputs: () => browser.outputs(),
    drive: async (output, settings, others) => {
      if (settings.mode !== null) {
        tries += 1;
        throw new Error('failed to apply configuration');
      }
      await browser.drive(output, settings, others);
    },
  };
  const config = () => ({ ...CONFIG, rotation: 90 as const, forced_mode: '9000x9000@9' });
  const connectors = { read: async () => [{ ...CONNECTOR, model }] };
  await stage.showing(URL_A, { compositor, config, connectors, checkEveryMs: 10 });
  await until('the rotation', () => browser.count('drive Virtual-1 90') === 1);
  const { screens } = stage.display;
  assert.match(screens.problems().join(), /does not take the mode 9000x9000@9: failed to apply/);
  const asked = browser.count('outputs');
  await until('many looks', () => browser.count('outputs') > asked + 10);
  assert.equal(browser.count('drive'), 1);
  // It may have been what ended the compositor.
  browser.unplug();
  browser.plug();
  await until('the rotation again', () => browser.count('drive Virtual-1 90') === 2);
  await screens.driveNow();
  assert.equal(tries, 1);
  assert.equal(screens.problems().length, 1);
  model = 'B';
  await until('the other screen', () => screens.list()[0]?.model === 'B');
  browser.unplug();
  browser.plug();
  await until('the mode for the other screen', () => tries === 2);
});

test('a forced mode is tried again when the compositor had ended, and not a third time', async () => {
  let tries = 0;
  let isDead = false;
  let fails = 1;
  const compositor: Compositor = {
    outputs: () => browser.outputs(),
    drive: async (output, settings, others) => {
      if (settings.mode !== null) tries += 1;
      if (settings.mode !== null && tries <= fails) isDead = true;
      if (isDead) throw new Error('there is no compositor');
      await browser.drive(output, settings, others);
    },
  };
  const restart = () => {
    isDead = false;
    browser.unplug();
    browser.plug();
  };
  const config = () => ({ ...CONFIG, forced_mode: '800x600@60' });
  await stage.showing(URL_A, { compositor, config, checkEveryMs: 100_000 });
  const { screens } = stage.display;
  await until('the first try', () => tries >= 1 && screens.problems().length > 0);
  restart();
  await until('the mode', () => stage.display.state().resolution === '800x600@60');
  assert.deepEqual(screens.problems(), []);
  fails = 100;
  const before = tries;
  isDead = true;
  for (let ends = 0; ends < 4; ends += 1) {
    restart();
    await screens.drive();
  }
  assert.ok(tries - before <= 2, `${tries - before} more tries`);
  assert.match(screens.problems().join(), /does not take the mode 800x600@60/);
});

test('failures that are not of the forced mode do not cost it: unknown outputs, a compositor that hangs and ends', async () => {
  let connected = false;
  const connectors = { read: async () => [{ ...CONNECTOR, connected }] };
  browser.compositorOutputs = [];
  // With and without the mode it takes too long, then the compositor ends in the middle of a command.
  const failures = ['late', 'late', 'ends'];
  const compositor: Compositor = {
    outputs: () => browser.outputs(),
    drive: async (output, settings, others) => {
      if (browser.compositorOutputs.length === 0) throw new Error(`unknown output ${output}`);
      const failure = failures.shift();
      if (failure === 'ends') browser.unplug();
      if (failure !== undefined || !browser.connected) throw new Error('there is no compositor');
      await browser.drive(output, settings, others);
    },
  };
  const looks = async (): Promise<void> => {
    const asked = browser.count('outputs');
    await until('a look at the outputs', () => browser.count('outputs') > asked + 2);
  };
  const config = () => ({ ...CONFIG, forced_mode: '800x600@60' });
  await stage.showing(URL_A, { compositor, connectors, config, checkEveryMs: 10 });
  connected = true;
  await looks();
  browser.compositorOutputs = [CONNECTOR.id];
  await until('the end of the compositor', () => failures.length === 0);
  browser.compositorOutputs = [];
  browser.plug();
  await looks();
  browser.compositorOutputs = [CONNECTOR.id];
  await until('the mode', () => stage.display.state().resolution === '800x600@60');
  assert.deepEqual(stage.display.screens.problems(), []);
});

test('a 4K television is scaled until a host says otherwise', async () => {
  const television = { ...CONNECTOR, modes: ['3840x2160@60'], sizeMm: { width: 1210, height: 680 } };
  await stage.showing(URL_A, { connectors: { read: async () => [television] } });
  await until('the scale', () => browser.count('drive Virtual-1 0 x2') === 1);
});

test('a browser that connected without a screen is restarted when one comes, any other is not', async () => {
  let connected = false;
  const connectors = { read: async () => [{ ...CONNECTOR, connected }] };
  await stage.showing(URL_A, { connectors, checkEveryMs: 10 });
  assert.equal(stage.unitRestarts, 0);
  connected = true;
  await until('the restart', () => stage.unitRestarts === 1);
  browser.unplug();
  browser.plug();
  await until('the second one', () => browser.count('drive') > 0);
  connected = false;
  await until('no screen', () => !stage.display.state().screen_on);
  connected = true;
  await until('the screen again', () => stage.display.state().screen_on);
  assert.equal(stage.unitRestarts, 1);
});

test('without connectors the outputs of the compositor are the screens, used as configured', async () => {
  browser.compositorOutputs = ['HEADLESS-1', 'HEADLESS-2'];
  const config = { ...CONFIG, scale: 1.5, screens: { 'HEADLESS-1': screenConfig(90, null, '800x600@60') } };
  await stage.showing(URL_A, { connectors: NO_CONNECTORS, config: () => config, checkEveryMs: 10 });
  await until('the drive', () => browser.count('drive HEADLESS-1 90 x1.5 800x600@60 -HEADLESS-2') === 1);
  await until('its result', () => stage.display.state().resolution === '800x600@60');
  const { screen_on, rotation } = stage.display.state();
  assert.deepEqual({ screen_on, rotation }, { screen_on: true, rotation: 90 });
  const common = { connected: true, modes: ['1280x720@75', '800x600@60'], make: null, model: null };
  assert.deepEqual(await stage.display.listScreens(), [
    { ...common, id: 'HEADLESS-1', primary: true, resolution: '800x600@60', rotation: 90 },
    { ...common, id: 'HEADLESS-2', primary: false, resolution: null, rotation: 0 },
  ]);
  await stage.display.requireScreen('HEADLESS-1');
  await assert.rejects(stage.display.requireScreen('HEADLESS-2'), { code: 'screen_not_found' });
  const looks = browser.count('outputs');
  await until('a look at what was driven', () => browser.count('outputs') > looks + 2);
  const before = stage.events.length;
  browser.turned.set('HEADLESS-1', null);
  await until('the second drive', () => browser.count('drive HEADLESS-1 90 x1.5 800x600@60') === 2);
  assert.ok(
    stage.events.slice(before).some((event) => !event.screen_on),
    'no event said that it was off',
  );
  await until('it to be on again', () => stage.display.state().screen_on);
  const asked = browser.count('outputs');
  await until('many looks', () => browser.count('outputs') > asked + 10);
  assert.equal(browser.count('drive'), 2);
});

test('without connectors no browser is restarted because the compositor answered late', async () => {
  let answers = false;
  browser.compositorOutputs = ['HEADLESS-1'];
  const compositor = compositorThat(() => answers);
  await stage.showing(URL_A, { compositor, connectors: NO_CONNECTORS, checkEveryMs: 10 });
  assert.deepEqual(await stage.display.listScreens(), []);
  answers = true;
  await until('the screen', () => stage.display.state().screen_on);
  await until('the drive', () => browser.count('drive HEADLESS-1 0') === 1);
  const asked = browser.count('outputs');
  await until('many looks', () => browser.count('outputs') > asked + 10);
  assert.equal(stage.unitRestarts, 0);
});

test('without connectors a compositor that hangs is restarted, and its screen stays meanwhile', async () => {
  let hangs = false;
  browser.compositorOutputs = ['HEADLESS-1'];
  const compositor = compositorThat(() => !hangs);
  const timing = { ...TIMING, frameEveryMs: 50, frameAgainMs: 50 };
  await stage.showing(URL_A, { compositor, connectors: NO_CONNECTORS, checkEveryMs: 10, timing });
  await until('the screen', () => stage.display.state().screen_on);
  hangs = true;
  await stage.display.screens.refresh(true);
  browser.framesReachScreen = false;
  await until('the restart', () => stage.unitRestarts === 1);
  browser.unplug();
  await stage.display.screens.refresh();
  assert.equal(stage.display.state().screen_on, true);
  assert.equal(stage.display.screens.primary?.id, 'HEADLESS-1');
});

test('connectors without a screen are not replaced by outputs of the compositor', async () => {
  browser.compositorOutputs = ['HEADLESS-1'];
  const connectors = { read: async () => [{ ...CONNECTOR, connected: false }] };
  await stage.showing(URL_A, { connectors });
  const asked = browser.count('outputs');
  await stage.display.screens.driveNow();
  assert.ok(browser.count('outputs') > asked);
  const [screen, ...others] = await stage.display.listScreens();
  assert.deepEqual([screen?.id, screen?.connected, others.length], ['Virtual-1', false, 0]);
});
