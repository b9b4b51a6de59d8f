import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultScale } from './scale.ts';

const inches = (diagonal: number, long: number, short: number) => {
  const mm = (diagonal * 25.4) / Math.hypot(long, short);
  return { width: Math.round(long * mm), height: Math.round(short * mm) };
};

test('screens as they are sold', () => {
  for (const [mode, size, scale, what] of [
    ['800x480', inches(7, 800, 480), 1, 'a panel of a Raspberry Pi'],
    ['1920x1200@60', inches(10, 1920, 1200), 1, 'a dense panel up to Full HD'],
    ['1920x1080@60', inches(55, 1920, 1080), 1, 'a Full HD television'],
    ['2560x1440@60', inches(27, 2560, 1440), 1, 'a QHD monitor'],
    ['2560x1440@60', inches(24, 2560, 1440), 1, 'a denser QHD monitor'],
    ['3840x2160@60', inches(32, 3840, 2160), 2, 'a large 4K monitor'],
    ['3440x1440@60', inches(34, 3440, 1440), 1, 'a wide monitor'],
    ['2560x1440@60', inches(13.3, 2560, 1440), 2, 'a QHD laptop panel'],
    ['3840x2160@60', inches(27, 3840, 2160), 2, 'a 4K monitor'],
    ['3840x2160@60', inches(15.6, 3840, 2160), 3, 'a 4K laptop panel'],
    ['3840x2160@60', inches(55, 3840, 2160), 2, 'a 4K television'],
    ['2160x3840@60', inches(55, 2160, 3840), 2, 'the same, upright'],
    ['3840x2160@30', null, 2, 'a 4K television that gives no size'],
    ['7680x4320@60', inches(75, 7680, 4320), 4, 'an 8K television'],
    ['5120x1440@60', inches(49, 5120, 1440), 1, 'a very wide monitor'],
    ['3840x2160', inches(5, 3840, 2160), 3, 'a tiny 4K panel keeps 1280 CSS pixels'],
  ] as const)
    assert.equal(defaultScale(mode, size), scale, what);
  assert.equal(defaultScale(null, null), 1);
});
