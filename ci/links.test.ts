import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './lib/places.ts';
import { projectFiles } from './lib/tool.ts';

/** The link targets of a Markdown text within its repository: paths without fragment. Links in code are ignored. */
function relativeLinks(markdown: string): string[] {
  const text = markdown.replace(/^( *)(```|~~~)[\s\S]*?^ *\2/gm, '').replace(/(`+)[\s\S]*?\1/g, '');
  const patterns = [
    /\]\(\s*<?([^\s)>]+)/g,
    /^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm,
    /\b(?:src|href)="([^"]+)"/g,
  ];
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)].map(([, target = '']) => target))
    .filter((target) => !/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(target))
    .map((target) => decodeURI(target.replace(/[#?].*/, '')));
}

test('all forms of links are found, and links in code are ignored', () => {
  const text = [
    '[a](one.md#part) ![b](img/two.png "title") [c](https://example.org/x) [d](#here)',
    '[ref]: three.md',
    '<img src="four.svg"> `[e](code.md)`',
    '```sh\n[f](fenced.md)\n```',
    '[![g](five.png)](six.md)',
  ].join('\n');
  assert.deepEqual(relativeLinks(text).sort(), [
    'five.png',
    'four.svg',
    'img/two.png',
    'one.md',
    'six.md',
    'three.md',
  ]);
});

test('every relative link in the project’s documents has an existing target', async () => {
  const documents = await projectFiles('*.md');
  assert.ok(documents.includes('README.md'));
  const broken: string[] = [];
  let links = 0;
  for (const document of documents) {
    // A file that is deleted but still in the index has no links.
    const text = await readFile(join(ROOT, document), 'utf8').catch(() => '');
    for (const target of relativeLinks(text)) {
      links++;
      const path = target.startsWith('/') ? join(ROOT, target) : join(ROOT, dirname(document), target);
      if (!(await stat(path).catch(() => undefined))) broken.push(`${document}: ${target}`);
    }
  }
  assert.ok(links > 0, 'no document links to another');
  assert.deepEqual(broken, []);
});
