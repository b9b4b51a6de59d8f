import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeTo, settingsIn, settingsOf } from './display-settings.ts';

const OWN = { rotation: 90, forced_mode: '1280x720@60', url: null, browser: { backend: null } };

function config(screens: object = {}) {
  return settingsIn({
    device: { name: 'x', timezone: 'Europe/Vienna' },
    display: {
      rotation: 180,
      forced_mode: '1920x1080@60',
      scale: null,
      power_schedule: [{ days: ['mon'], on: '08:00', off: '18:00' }],
      screens,
    },
  });
}

test('what a screen has of its own is in force, else what all have', () => {
  assert.deepEqual(settingsOf(config(), 'HDMI-A-1'), { rotation: 180, mode: '1920x1080@60', scale: null });
  const own = config({ 'HDMI-A-1': OWN, 'HDMI-A-2': { rotation: null, forced_mode: null } });
  assert.deepEqual(settingsOf(own, 'HDMI-A-1'), { rotation: 90, mode: '1280x720@60', scale: null });
  assert.deepEqual(settingsOf(own, 'HDMI-A-2'), { rotation: 180, mode: '1920x1080@60', scale: null });
  assert.deepEqual(settingsOf(own, undefined), { rotation: 180, mode: '1920x1080@60', scale: null });
  assert.equal(own.zone, 'Europe/Vienna');
  assert.equal(own.schedule.length, 1);
});

test('a change names only what is wanted, and how it was', () => {
  assert.deepEqual(changeTo(config(), 'HDMI-A-1', { rotation: 270, scale: 2 }), {
    tried: { scale: 2, rotation: 270 },
    earlier: { scale: null, rotation: 180 },
  });
  assert.deepEqual(changeTo(config(), undefined, { mode: null }), {
    tried: { forced_mode: null },
    earlier: { forced_mode: '1920x1080@60' },
  });
});

test('what a screen has of its own is changed there', () => {
  const own = config({ 'HDMI-A-1': OWN });
  assert.deepEqual(changeTo(own, 'HDMI-A-1', { rotation: 0, mode: '800x600@60' }), {
    tried: { screens: { 'HDMI-A-1': { rotation: 0, forced_mode: '800x600@60' } } },
    earlier: { screens: { 'HDMI-A-1': { rotation: 90, forced_mode: '1280x720@60' } } },
  });
  assert.deepEqual(changeTo(own, 'HDMI-A-1', { mode: null }), {
    tried: { forced_mode: null, screens: { 'HDMI-A-1': { forced_mode: null } } },
    earlier: { forced_mode: '1920x1080@60', screens: { 'HDMI-A-1': { forced_mode: '1280x720@60' } } },
  });
});

test('what is no configuration is an error, and unknown values are as if they were not set', () => {
  assert.throws(() => settingsIn(null), TypeError);
  assert.throws(() => settingsIn({ display: null }), TypeError);
  const odd = settingsIn({ device: {}, display: { rotation: 45, scale: '2', power_schedule: 'always' } });
  assert.deepEqual([odd.rotation, odd.scale, odd.schedule, odd.zone], [0, null, [], '']);
});
