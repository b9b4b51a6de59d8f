import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as contract from '../../../agent/src/resources/contract.ts';
import { Health } from '../../../agent/src/resources/device/schema.ts';
import { docsHtml } from '../generate.ts';
import type { Json } from '../json.ts';
import { openApi } from '../openapi.ts';
import { docsPage } from './page.ts';
import { SAMPLE_KINDS } from './samples.ts';
import { schemaHtml } from './schema-html.ts';

/** Compressed, in bytes. */
const MOST_BYTES = 150_000;
const document = openApi(contract);
const html = await docsHtml();

describe('the page for people', () => {
  test('has every operation, topic, code and shape, and no broken link', () => {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const anchors = new Set(ids);
    assert.equal(anchors.size, ids.length, 'an id is there twice');
    for (const [, target] of html.matchAll(/ href="#([^"]+)"/g)) {
      assert.ok(anchors.has(target), `#${target} is not on the page`);
    }
    for (const name of Object.keys(document['x-events'])) assert.ok(anchors.has(`topic-${name}`), name);
    for (const code of Object.keys(document['x-errors'])) assert.ok(anchors.has(`error-${code}`), code);
    for (const name of Object.keys(document.components.schemas))
      assert.ok(anchors.has(`shape-${name}`), name);
    for (const [path, methods] of Object.entries(document.paths)) {
      assert.ok(html.includes(`<code>${path}</code>`), path);
      for (const { operationId } of Object.values(methods)) {
        const article = html.split(`<article id="${operationId}"`)[1]?.split('</article>')[0] ?? '';
        for (const kind of SAMPLE_KINDS) {
          assert.match(article, new RegExp(`<pre data-code="${kind}"><code>.`), `${operationId} ${kind}`);
        }
      }
    }
  });

  test('has the description of a field that may be null', () => {
    const { throttled } = Health.properties;
    const [description] = throttled.anyOf.map((part) => 'description' in part && part.description);
    assert.ok(typeof description === 'string' && html.includes(description));
  });

  test('loads nothing, and is small', () => {
    assert.doesNotMatch(html, /<(?:script|style|link|img|iframe)[ /]|@import|url\(| style="| on\w+="/);
    for (const [, target] of html.matchAll(/ href="([^"#][^"]*)"/g))
      assert.match(String(target), /^(?:open|async)api\.yaml$/);
    const { length } = gzipSync(html);
    assert.ok(length < MOST_BYTES, `${length} bytes compressed`);
  });

  test('shows the example of an answer, on request if it is long', () => {
    const shown = (example: Json): string => {
      const responses = { 200: { content: { 'application/json': { example } } } };
      const get = { ...document.paths['/device']?.get, responses };
      return docsPage({ ...document, paths: { '/device': { get } } }, { style: '', script: '' });
    };
    const [, text] =
      /class="answer" open><summary>Answer 200<[\s\S]*?<code>(.*?)<\/code>/.exec(shown({ a: '<' })) ?? [];
    assert.equal(text, '{ &quot;a&quot;: &quot;&lt;&quot; }');
    assert.match(shown(Array(100).fill('long')), /class="answer"><summary>/);
  });

  test('links to the description of events if the device serves it', () => {
    const paths = { ...document.paths, '/asyncapi.yaml': {} };
    const page = docsPage({ ...document, paths }, { style: '', script: '' });
    assert.match(page, / href="openapi.yaml"[\s\S]* href="asyncapi.yaml"/);
  });
});

test('the rules of a field are said in words, also if it may be null', () => {
  const name = { type: 'string', maxLength: 1, pattern: '^[a-z]$', 'x-rule': 'must be a letter' };
  const said = schemaHtml(
    { type: 'object', properties: { name: { anyOf: [name, { type: 'null' }], default: '<' } } },
    'optional',
  );
  const text = said.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');
  assert.equal(
    text.trim(),
    'name string or null optional at most 1 character · must be a letter · default &quot;&lt;&quot;',
  );
});
