import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forcible, isSameMode, modeIn, modeText, modeWords } from './modes.ts';

test('the modes of a screen become modes that the configuration accepts, each once', () => {
  const modes = [
    '1920x1080@60',
    '1920x1080@59.9400',
    '1280x720',
    '1280x720@60',
    'huge',
    '9x9@60',
    '800x600@0',
  ];
  assert.deepEqual(forcible(modes), ['1920x1080@60', '1920x1080@59.94', '1280x720@60']);
});

test('a mode is read and written alike, and what the device would refuse is none', () => {
  for (const text of ['1920x1080@60', '3840x2160@29.97', '1366x768@59.79'])
    assert.equal(modeText(modeIn(text) ?? { width: 0, height: 0, rate: 0 }), text);
  assert.equal(modeIn('1920 x 1080'), undefined);
  for (const rate of [0, -60, 1000, Number.NaN])
    assert.equal(modeText({ width: 1920, height: 1080, rate }), undefined);
  assert.equal(modeText({ width: 1.5, height: 1080, rate: 60 }), undefined);
});

test('rates that the device takes for each other are the same mode', () => {
  assert.equal(isSameMode('1920x1080@60', '1920x1080@59.94'), true);
  assert.equal(isSameMode('1920x1080@60', '1920x1080@50'), false);
  assert.equal(isSameMode('1920x1080@60', '1920x1200@60'), false);
});

test('words are of the language', () => {
  assert.equal(modeWords('1920x1080@59.94', 'de'), '1920 × 1080, 59,94 Hz');
  assert.equal(modeWords('odd', 'en'), 'odd');
});
