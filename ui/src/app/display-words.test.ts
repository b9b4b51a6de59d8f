import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DisplayState } from './device-state.ts';
import { howItGoes, progressOf, screenWords, whatIsShown } from './display-words.ts';

const PAGE: DisplayState = {
  mode: 'url',
  url: 'https://a.example/there',
  target_url: 'https://a.example/',
  screen_on: true,
  rotation: 0,
  resolution: '1920x1080@60',
  loading: false,
  error: null,
};
const failed = (code: NonNullable<DisplayState['error']>['code']) => ({
  ...PAGE,
  error: { code, message: 'Why.' },
});

test('what is shown is the present address, else the one that was asked for', () => {
  assert.equal(whatIsShown(PAGE), 'https://a.example/there');
  const { url: _url, ...before } = PAGE;
  assert.equal(whatIsShown(before), 'https://a.example/');
});

test('an error comes before everything else, and keeps the words of the device', () => {
  assert.equal(howItGoes(PAGE).level, 'good');
  assert.equal(howItGoes({ ...PAGE, loading: true }).level, 'unknown');
  assert.equal(howItGoes({ ...PAGE, screen_on: false }).level, 'warning');
  const words = howItGoes({ ...failed('load_failed'), screen_on: false });
  assert.deepEqual([words.level, words.detail], ['bad', 'Why.']);
  assert.equal(howItGoes({ ...failed('load_failed'), loading: true }).level, 'warning');
  assert.equal(howItGoes({ ...failed('bundle_missing'), loading: true }).level, 'bad');
});

test('a request is shown only when its own target is there', () => {
  assert.equal(progressOf(PAGE, PAGE), 'shown');
  assert.equal(progressOf(PAGE, { ...PAGE, url: 'https://a.example/redirected' }), 'shown');
  assert.equal(progressOf(PAGE, { ...PAGE, loading: true }), 'loading');
  assert.equal(progressOf(PAGE, failed('tls_failed')), 'failed');
  assert.equal(progressOf(PAGE, { ...failed('tls_failed'), loading: true }), 'loading');
  assert.equal(progressOf(PAGE, { ...PAGE, target_url: 'https://b.example/' }), 'replaced');
  assert.equal(progressOf({ mode: 'bundle', bundle: 'menu' }, PAGE), 'replaced');
});

test('the mode of a screen is written for people', () => {
  assert.equal(screenWords(PAGE), '1920 × 1080, 60 Hz');
});
