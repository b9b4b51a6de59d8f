import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fit, screenSize, spotAt } from './place.ts';

const FULL_HD = { width: 1920, height: 1080 };
const TURNED = { width: 1080, height: 1920 };

test('a picture fills its box as far as its shape allows, in the middle', () => {
  assert.deepEqual(fit({ width: 960, height: 540 }, FULL_HD), { left: 0, top: 0, width: 960, height: 540 });
  assert.deepEqual(fit({ width: 960, height: 740 }, FULL_HD), { left: 0, top: 100, width: 960, height: 540 });
  assert.deepEqual(fit({ width: 1000, height: 960 }, TURNED), { left: 230, top: 0, width: 540, height: 960 });
  const nothing = { left: 0, top: 0, width: 0, height: 0 };
  assert.deepEqual(fit({ width: 0, height: 0 }, FULL_HD), nothing);
  assert.deepEqual(fit(FULL_HD, { width: 0, height: 0 }), nothing);
});

test('a place in a picture with bars beside or above it', () => {
  const bars = { width: 960, height: 740 };
  assert.deepEqual(spotAt(bars, FULL_HD, { x: 480, y: 370 }), { place: { x: 0.5, y: 0.5 }, isInside: true });
  assert.deepEqual(spotAt(bars, FULL_HD, { x: 0, y: 100 }), { place: { x: 0, y: 0 }, isInside: true });
  assert.deepEqual(spotAt(bars, FULL_HD, { x: 240, y: 99 }), { place: { x: 0.25, y: 0 }, isInside: false });
  const beside = { width: 1000, height: 960 };
  assert.deepEqual(spotAt(beside, TURNED, { x: 230 + 135, y: 240 }).place, { x: 0.25, y: 0.25 });
  assert.deepEqual(spotAt(beside, TURNED, { x: 229, y: 2000 }), { place: { x: 0, y: 1 }, isInside: false });
  const nothing = { width: 0, height: 0 };
  assert.deepEqual(spotAt(nothing, FULL_HD, { x: 0, y: 0 }), { place: { x: 0, y: 0 }, isInside: false });
});

test('the place of a point is where it was drawn, in any box', () => {
  const length = fc.integer({ min: 1, max: 4000 });
  const size = fc.record({ width: length, height: length });
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(size, size, fraction, fraction, (box, screen, x, y) => {
      const { left, top, width, height } = fit(box, screen);
      const { place } = spotAt(box, screen, { x: left + x * width, y: top + y * height });
      assert.ok(Math.abs(place.x - x) < 1e-4 && Math.abs(place.y - y) < 1e-4);
    }),
  );
});

test('the screen has the size of the picture, and more below it while the on-screen keyboard is open', () => {
  const size = (width: number, height: number, rotation = 0) =>
    screenSize({ width, height }, '1920x1080@60', rotation);
  assert.deepEqual(size(1920, 1080), FULL_HD);
  assert.deepEqual(size(1280, 719), { width: 1280, height: 719 });
  assert.deepEqual(size(1920, 648), FULL_HD);
  assert.deepEqual(size(1080, 1434, 270), TURNED);
  // From before the screen was turned.
  assert.deepEqual(size(1920, 1080, 90), FULL_HD);
  assert.deepEqual(size(1080, 1920), TURNED);
  assert.deepEqual(screenSize(FULL_HD, null, 0), FULL_HD);
});
