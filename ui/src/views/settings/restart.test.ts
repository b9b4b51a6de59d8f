import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { type JsonObject, withValue } from './json.ts';
import { baselineFor, bootOf, ended, readBaseline, waiting, withAnswer } from './restart.ts';
import { type Field, groupsOf } from './schema.ts';
import { readYaml } from './yaml.ts';

const NOW = 1_800_000_000_000;

let fields: Field[];
let config: JsonObject;
before(async () => {
  const file = new URL('../../../../docs/openapi.yaml', import.meta.url);
  fields = groupsOf(readYaml(await readFile(file, 'utf8'))).flatMap((group) => group.fields);
  config = fields.reduce<JsonObject>((tree, one) => withValue(tree, one.path, one.default), {});
});

const begin = (now = config) => baselineFor(undefined, bootOf(100, NOW), fields, now);
const names = (list: readonly Field[]) => list.map(({ name }) => name);

test('changes wait for a restart if their fields need one, until they are taken back', () => {
  const baseline = begin();
  assert.deepEqual(waiting(baseline, fields, config), []);
  let changed = withValue(config, ['display', 'boot_bundle'], 'menu');
  changed = withValue(changed, ['browser', 'zoom'], true);
  changed = withValue(changed, ['browser', 'clear_data_on_boot'], true);
  assert.deepEqual(names(waiting(baseline, fields, changed)), [
    'display.boot_bundle',
    'browser.clear_data_on_boot',
  ]);
  changed = withValue(changed, ['display', 'boot_bundle'], null);
  assert.deepEqual(names(waiting(baseline, fields, changed)), ['browser.clear_data_on_boot']);
});

test('of a screen, only what needs a restart counts', () => {
  const screens = (entry: object) => withValue(config, ['display', 'screens'], { 'HDMI-A-1': entry });
  const none = { rotation: 90, forced_mode: null, url: null, browser: { backend: null } };
  assert.deepEqual(waiting(begin(), fields, screens(none)), []);
  const url = { ...none, url: 'http://a.example/' };
  assert.deepEqual(names(waiting(begin(), fields, screens(url))), ['display.screens']);
});

test('the device is the same boot later, and another one after a restart', () => {
  const changed = withValue(config, ['display', 'resume_on_boot'], true);
  const later = baselineFor(begin(), bootOf(3700, NOW + 3_600_000 + 2000), fields, changed);
  assert.deepEqual(names(waiting(later, fields, changed)), ['display.resume_on_boot']);
  for (const boot of [bootOf(5, NOW + 3_600_000), bootOf(4000, NOW + 7_200_000), bootOf(90, NOW - 5000)]) {
    assert.deepEqual(waiting(baselineFor(later, boot, fields, changed), fields, changed), []);
  }
  const restarted = baselineFor(ended(later), bootOf(3710, NOW + 3_610_000), fields, changed);
  assert.deepEqual(waiting(restarted, fields, changed), [], 'the device may count on');
});

test('a field that the device could not apply waits, too; what the schema says is no surprise', () => {
  let baseline = withAnswer(begin(), fields, {
    'browser.zoom': 'live',
    'device.timezone': 'reboot_required',
    'display.boot_bundle': 'reboot_required',
    'display.screens.HDMI-A-1.url': 'reboot_required',
  });
  assert.deepEqual(baseline.answered, ['device.timezone']);
  baseline = withAnswer(baseline, fields, { 'display.screens.DP-2.rotation': 'reboot_required' });
  assert.deepEqual(names(waiting(baseline, fields, config)), ['device.timezone', 'display.screens']);
  assert.deepEqual(withAnswer(baseline, fields, { 'device.timezone': 'live' }).answered, ['display.screens']);
});

test('what is remembered has no secrets, and is read as it was, or not at all', () => {
  const secret = withValue(config, ['wifi', 'ap', 'psk'], 'correct horse');
  const baseline = withAnswer(begin(secret), fields, { 'wifi.ap.psk': 'reboot_required' });
  const text = JSON.stringify(baseline);
  assert.doesNotMatch(text, /horse/);
  assert.deepEqual(readBaseline(text), baseline);
  for (const other of [undefined, '', '{', 'null', '[]', '{"values":{},"answered":[]}']) {
    assert.equal(readBaseline(other), undefined);
  }
});
