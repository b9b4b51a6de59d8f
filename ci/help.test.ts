import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { HELP, helpText } from './help.ts';
import { ROOT } from './lib/places.ts';

test('npm run help has one sentence for each npm script', async () => {
  const manifest: { scripts: Record<string, string> } = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  );
  const sentences = Object.values(HELP).flatMap((group) => Object.entries(group));
  assert.deepEqual(sentences.map(([name]) => name).sort(), Object.keys(manifest.scripts).sort());
  for (const [name, sentence] of sentences) {
    assert.match(sentence, /^[A-Z].*\.$/, name);
    assert.ok(helpText().includes(sentence), name);
  }
});
