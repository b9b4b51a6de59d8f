import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputsOfWheel, type Moment, PointerInput } from './pointer.ts';

const SCREEN = { width: 1000, height: 500 };
const at = (x: number, buttons: number, more: { id?: number; isInside?: boolean } = {}): Moment => ({
  id: more.id ?? 1,
  buttons,
  spot: { place: { x, y: 0 }, isInside: more.isInside ?? true },
});
const move = (x: number) => ({ type: 'move', x, y: 0 });
const set = (button: string, pressed: boolean) => ({ type: 'button', button, pressed });

test('a press, moves also beside the screen, and the release; then moves do nothing', () => {
  const pointer = new PointerInput();
  assert.deepEqual(pointer.move(at(0.1, 0), SCREEN), []);
  assert.deepEqual(pointer.begin(at(0.1, 1), 'left'), [move(0.1), set('left', true)]);
  assert.deepEqual(pointer.move(at(1, 1, { isInside: false }), SCREEN), [move(1)]);
  assert.deepEqual(pointer.move(at(0.5, 0), SCREEN), [move(0.5), set('left', false)]);
  assert.deepEqual(pointer.end(1), []);
  assert.deepEqual(pointer.move(at(0.6, 0), SCREEN), []);
});

test('a press beside the screen does nothing', () => {
  const pointer = new PointerInput();
  assert.deepEqual(pointer.begin(at(0, 1, { isInside: false }), 'left'), []);
  assert.deepEqual(pointer.move(at(0.5, 1), SCREEN), []);
});

test('a pointer that is lost releases what it held; a second finger does nothing', () => {
  const pointer = new PointerInput();
  pointer.begin(at(0, 1), 'left');
  assert.deepEqual(pointer.begin(at(0.5, 1, { id: 2 }), 'left'), []);
  assert.deepEqual(pointer.move(at(0.5, 1, { id: 2 }), SCREEN), []);
  assert.deepEqual(pointer.end(2), []);
  assert.deepEqual(pointer.end(1), [set('left', false)]);
  assert.deepEqual(pointer.begin(at(0.5, 1, { id: 2 }), 'left'), [move(0.5), set('left', true)]);
});

test('buttons are pressed and released one by one; the first can stand for the right one', () => {
  const pointer = new PointerInput();
  assert.deepEqual(pointer.begin(at(0, 1), 'left'), [move(0), set('left', true)]);
  assert.deepEqual(pointer.move(at(0, 1 + 4), SCREEN), [move(0), set('middle', true)]);
  assert.deepEqual(pointer.move(at(0, 4 + 2), SCREEN), [move(0), set('left', false), set('right', true)]);
  assert.deepEqual(pointer.end(1), [set('right', false), set('middle', false)]);
  assert.deepEqual(pointer.begin(at(0, 1), 'right'), [move(0), set('right', true)]);
  assert.deepEqual(pointer.move(at(0, 1 + 2), SCREEN), [move(0)]);
});

test('a finger scrolls the page under it', () => {
  const pointer = new PointerInput();
  assert.deepEqual(pointer.begin(at(0.5, 1), 'scroll'), [move(0.5)]);
  assert.deepEqual(pointer.move(at(0.25, 1), SCREEN), [{ type: 'wheel', dx: 250, dy: 0 }]);
  assert.deepEqual(pointer.move(at(0.25, 1), SCREEN), []);
  assert.deepEqual(pointer.end(1), []);
});

test('the wheel turns where the pointer is, by pixels, lines or pages', () => {
  const { spot } = at(0.5, 0);
  const turn = { deltaX: 0, deltaY: 3 };
  assert.deepEqual(inputsOfWheel({ ...turn, deltaMode: 0 }, spot), [
    move(0.5),
    { type: 'wheel', dx: 0, dy: 3 },
  ]);
  assert.equal(inputsOfWheel({ ...turn, deltaMode: 1 }, spot).at(-1)?.dy, 120);
  assert.deepEqual(inputsOfWheel({ ...turn, deltaMode: 0 }, { ...spot, isInside: false }), []);
});
