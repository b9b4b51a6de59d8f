import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zip } from '../../testing/zip.ts';
import { appFiles } from './bundles.ts';

test('the app’s service worker caches exactly the app’s files without the media', async () => {
  const files = await appFiles('menu');
  const worker = String(files['sw.js']);
  const kept = [...worker.matchAll(/^ {2}'\/(.*)',$/gm)].map(([, path]) => path || 'index.html');
  const paths = Object.keys(files).filter((path) => path !== 'sw.js' && !path.startsWith('media/'));
  assert.deepEqual(kept.sort(), paths.sort());
});

test('media are stored uncompressed, texts are deflated', async () => {
  const archive = await zip({ 'index.html': 'a'.repeat(1000), 'clip.webm': 'b'.repeat(1000) });
  assert.ok(archive.includes('b'.repeat(1000)));
  assert.ok(!archive.includes('a'.repeat(1000)));
});
