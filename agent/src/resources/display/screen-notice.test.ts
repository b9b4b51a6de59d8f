import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeBrowser } from '../../../../testing/fake-browser.ts';
import { createLogger } from '../../base/logger.ts';
import { ScreenNotice } from './screen-notice.ts';

test('every browser that connects gets the text, until it is removed', async (t) => {
  const browser = new FakeBrowser();
  const notice = new ScreenNotice({ browser, log: createLogger('silent') });
  notice.start();
  t.after(() => notice.stop());
  notice.show('Type 1');
  assert.deepEqual(browser.calls, [], 'sent without a browser');
  browser.plug();
  notice.show('Type 1');
  browser.unplug();
  browser.plug('http://same/');
  notice.show('Type 2');
  notice.show(undefined);
  browser.unplug();
  browser.plug();
  assert.deepEqual(browser.calls, ['notice "Type 1"', 'notice "Type 1"', 'notice "Type 2"', 'notice null']);
});

test('a browser that does not take it gets the next one', async (t) => {
  const browser = new FakeBrowser();
  const warnings: unknown[] = [];
  const notice = new ScreenNotice({ browser, log: { warn: (fields: unknown) => warnings.push(fields) } });
  notice.start();
  t.after(() => notice.stop());
  browser.plug();
  browser.takesCommands = false;
  notice.show('Type 1');
  await new Promise(setImmediate);
  assert.deepEqual(warnings, [{ reason: 'timeout' }]);
  browser.takesCommands = true;
  notice.show(undefined);
  assert.equal(browser.calls.at(-1), 'notice null');
});
