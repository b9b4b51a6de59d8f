import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appFiles } from './bundles.ts';
import { stretch } from './clip.ts';

test('a stretched clip has the requested additional length, and its SeekHead points to the cues', async () => {
  const clip = (await appFiles('menu'))['media/clip.webm'] ?? Buffer.alloc(0);
  const stretched = stretch(clip, 3_000_000);
  assert.equal(stretched.length, clip.length + 3_000_000);
  const segment = stretched.indexOf('18538067', 0, 'hex') + 12;
  assert.equal(segment + stretched.readUInt32BE(segment - 4), stretched.length);
  const position = stretched.indexOf('1c53bb6b53ac84', segment, 'hex') + 7;
  const cues = segment + stretched.readUInt32BE(position);
  assert.equal(stretched.toString('hex', cues, cues + 4), '1c53bb6b');
  assert.equal(cues, clip.lastIndexOf('1c53bb6b', undefined, 'hex') + 3_000_000);
  // The Void element still fills the gap after the SeekHead.
  const before = clip.indexOf('1549a966', segment + 60, 'hex');
  assert.equal(stretched.indexOf('1549a966', segment + 60, 'hex'), before);
  const filler = stretched.indexOf('ec01000000', segment, 'hex');
  assert.equal(filler + 9 + stretched.readUInt32BE(filler + 5), before);
});
