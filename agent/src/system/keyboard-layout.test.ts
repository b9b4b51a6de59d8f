import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { KeyboardLayoutFile, knownKeyboardLayouts } from './keyboard-layout.ts';

const folder = await mkdtemp(join(tmpdir(), 'vitrine-layout-'));
after(() => rm(folder, { recursive: true }));

/** As xkeyboard-config writes it. */
const RULES = `! model
  pc105           Generic 105-key PC

! layout
  de              German
  us              English (US)
  custom          A user-defined custom Layout

! variant
  nodeadkeys      de: German (no dead keys)
  intl            us: English (US, intl., with dead keys)

! option
  grp:toggle      Right Alt
`;

test('layouts and variants of the list are known, and nothing else of it', async () => {
  const path = join(folder, 'evdev.lst');
  await writeFile(path, RULES);
  const isKnown = knownKeyboardLayouts(true, path);
  for (const layout of ['de', 'us', 'de(nodeadkeys)', 'us(intl)']) assert.ok(isKnown(layout), layout);
  for (const layout of ['', 'pc105', 'custom', 'nodeadkeys', 'us(nodeadkeys)', 'grp:toggle', '(Right)']) {
    assert.ok(!isKnown(layout), layout);
  }
  assert.ok(!knownKeyboardLayouts(true, join(folder, 'nowhere'))('de'));
  assert.ok(knownKeyboardLayouts(false, join(folder, 'nowhere'))('de'));
});

test('the file is written when the layout changes only', async () => {
  const path = join(folder, 'state', 'keyboard-layout');
  const file = new KeyboardLayoutFile(path);
  assert.equal(await file.set('us'), false);
  assert.equal(await file.set('de'), true);
  assert.equal(await readFile(path, 'utf8'), 'de\n');
  assert.equal(await file.set('de'), false);
  assert.equal(await file.set('us'), true);
});
