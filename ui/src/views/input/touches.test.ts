import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heightByWidth, NOT_TOUCHED, type Touched, withoutFingers, withTouch } from './touches.ts';

const touch = (before: Touched, slot: number, x: number, pressed = true) =>
  withTouch(before, { device: 'event3', slot, x, y: 0.5, pressed, ts: '2026-11-27T10:00:00.000Z' });

test('fingers come, move and go, each by itself', () => {
  let now = touch(NOT_TOUCHED, 0, 0.1);
  now = touch(now, 1, 0.9);
  now = touch(now, 0, 0.2);
  assert.deepEqual(now.fingers.map(({ slot, x }) => [slot, x]).sort(), [
    [0, 0.2],
    [1, 0.9],
  ]);
  assert.deepEqual([now.presses, now.trail.length], [2, 3]);
  now = touch(now, 0, 0.2, false);
  assert.deepEqual(
    now.fingers.map(({ slot }) => slot),
    [1],
  );
  now = touch(withoutFingers(now), 0, 0.3);
  assert.deepEqual([now.presses, now.fingers.length, now.last?.x], [3, 1, 0.3]);
});

test('a pointer that only moves leaves no trail', () => {
  const now = touch(NOT_TOUCHED, 0, 0.4, false);
  assert.deepEqual([now.last?.x, now.trail, now.fingers, now.presses], [0.4, [], [], 0]);
});

test('what is kept is bounded', () => {
  let now = NOT_TOUCHED;
  for (let count = 0; count < 1000; count++) now = touch(now, count, 0.5);
  assert.deepEqual([now.trail.length, now.fingers.length, now.presses], [150, 40, 1000]);
});

test('the shape is that of the page, turned with the screen', () => {
  assert.equal(heightByWidth('1920x1080@60'), 0.5625);
  assert.equal(heightByWidth('1000x500@59.94', 90), 2);
  assert.equal(heightByWidth('1000x500@60', 180), 0.5);
  for (const unknown of [null, undefined, 'x']) assert.equal(heightByWidth(unknown), 0.5625);
});
