import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { pagePolicy } from './page-policy.ts';

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

test('a page runs its own scripts and styles, and nothing else', () => {
  const html =
    '<style>p { color: red }</style><p onclick="a()">é</p><script>"é";\n</script><script>b()</script>';
  const policy = pagePolicy(Buffer.from(html));
  assert.match(policy, /^default-src 'none'; /);
  assert.ok(policy.includes(`; script-src ${hash('"é";\n')} ${hash('b()')}; `), policy);
  assert.ok(policy.includes(`; style-src ${hash('p { color: red }')}; `), policy);
  assert.doesNotMatch(policy, /unsafe|http|connect-src/);
  assert.match(pagePolicy(Buffer.from('<p>')), /; script-src 'none'; style-src 'none'; /);
});
