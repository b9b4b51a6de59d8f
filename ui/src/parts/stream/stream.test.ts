import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stream } from './stream.ts';

/** A stream whose pictures the test draws. */
function start(most = 5) {
  let frames: (() => void)[] = [];
  let drawn = 0;
  const stream = new Stream({ most, longest: 100, nextFrame: (run) => frames.push(run) });
  const draw = () => {
    const due = frames;
    frames = [];
    drawn += due.length;
    for (const run of due) run();
  };
  const say = (...texts: string[]) => {
    for (const text of texts) stream.add({ at: 0, level: 'info', source: text.slice(0, 1), text });
  };
  const shown = () => stream.state.value.rows.map(({ text }) => text);
  return { stream, draw, say, shown, count: () => drawn, isScheduled: () => frames.length };
}

test('any number of lines between two pictures changes what is shown once', () => {
  const { stream, draw, say, shown, isScheduled } = start();
  for (let n = 0; n < 1000; n += 1) say(`a${n}`);
  assert.deepEqual([shown(), isScheduled()], [[], 1]);
  draw();
  assert.deepEqual(shown(), ['a995', 'a996', 'a997', 'a998', 'a999']);
  assert.deepEqual([stream.state.value.kept, stream.state.value.removed, isScheduled()], [5, 995, 0]);
  say('b');
  draw();
  assert.deepEqual(shown(), ['a996', 'a997', 'a998', 'a999', 'b']);
  assert.deepEqual(stream.state.value.sources, ['a', 'b']);
});

test('a pause keeps what is shown, counts what arrives, and can be searched', () => {
  const { stream, draw, say, shown } = start();
  say('a1', 'b1', 'a2');
  draw();
  stream.pause('user');
  for (let n = 0; n < 20; n += 1) say(`c${n}`);
  draw();
  assert.deepEqual(shown(), ['a1', 'b1', 'a2']);
  assert.deepEqual([stream.state.value.waiting, stream.state.value.kept], [20, 3]);
  stream.choose({ query: 'A' });
  assert.deepEqual(shown(), ['a1', 'a2']);
  stream.pause('scroll');
  assert.equal(stream.state.value.pausedBy, 'user', 'scrolling does not make it a weaker pause');
  stream.resume();
  assert.deepEqual([shown(), stream.state.value.waiting], [[], 0]);
  stream.choose({ query: '' });
  assert.deepEqual(shown(), ['c15', 'c16', 'c17', 'c18', 'c19']);
});

test('a pause begins with what has arrived, also if it was not drawn yet', () => {
  const { stream, say, shown } = start();
  say('a1');
  stream.pause('scroll');
  assert.deepEqual([shown(), stream.state.value.waiting], [['a1'], 0]);
  stream.pause('user');
  assert.equal(stream.state.value.pausedBy, 'user');
});

test('lines that match are added, and those that are gone are removed', () => {
  const { stream, draw, say, shown } = start();
  stream.choose({ source: 'a' });
  say('a1', 'b1', 'b2', 'b3', 'a2');
  draw();
  assert.deepEqual(shown(), ['a1', 'a2']);
  say('b4', 'b5');
  draw();
  assert.deepEqual(shown(), ['a2']);
  say('b6', 'b7', 'b8');
  draw();
  assert.deepEqual([shown(), stream.state.value.kept], [[], 5]);
});

test('cleared lists begin anew, also during a pause', () => {
  const { stream, draw, say, shown } = start();
  say('a1', 'a2');
  stream.pause('user');
  stream.clear();
  assert.deepEqual([shown(), stream.state.value.kept, stream.state.value.sources], [[], 0, []]);
  say('a3');
  draw();
  assert.deepEqual([shown(), stream.state.value.waiting], [[], 1]);
  stream.resume();
  assert.deepEqual([shown(), stream.state.value.removed], [['a3'], 0]);
});

test('missing lines are counted if their number is known, and told before the next line otherwise', () => {
  const { stream, draw, say } = start();
  stream.interrupted();
  say('a1');
  stream.add({ at: 0, source: 's', text: 'x', missing: 7 });
  stream.interrupted();
  say('a2', 'a3');
  draw();
  assert.deepEqual(
    stream.state.value.rows.map(({ missing }) => missing),
    [0, 7, Number.POSITIVE_INFINITY, 0],
  );
  assert.equal(stream.state.value.missing, 7);
});

test('long texts take the room of many', () => {
  const stream = new Stream({ longest: 2 ** 20, nextFrame: () => undefined });
  for (let n = 0; n < 10; n += 1) stream.add({ at: 0, source: '', text: 'x'.repeat(2 ** 20) });
  assert.equal(stream.state.value.rows.length, 0);
  stream.pause('user');
  assert.equal(stream.state.value.kept, 4);
});
