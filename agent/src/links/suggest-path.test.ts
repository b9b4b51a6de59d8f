import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASE_PATH } from '../contract/api.ts';
import { endpoints } from '../resources/contract.ts';
import { suggestMember, suggestPath } from './suggest-path.ts';

const ROUTES = [
  ...endpoints.map(({ method, path }) => ({ method, url: BASE_PATH + path.replaceAll(/\{(\w+)\}/g, ':$1') })),
  { method: 'GET', url: '/' },
];

test('a mistyped path is found', () => {
  for (const [given, meant] of [
    ['/v1/device', '/api/v1/device'],
    ['/device', '/api/v1/device'],
    ['/api/device', '/api/v1/device'],
    ['/api/v1/device/', '/api/v1/device'],
    ['/api/v1/devices', '/api/v1/device'],
    ['/api/v1//device', '/api/v1/device'],
    ['/api/v1/Device', '/api/v1/device'],
    ['/api/v1/display/navigat', '/api/v1/display/navigate'],
    ['/api/v1/display/screen-shot', '/api/v1/display/screenshot'],
    ['/api/v1/contents/menu', '/api/v1/content/menu'],
    ['/api/v1/operation/abc', '/api/v1/operations/abc'],
    ['/api/v1/content/menu/chek', '/api/v1/content/menu/check'],
    ['/api/v1/something', undefined],
    ['/favicon.png', undefined],
    [`/api/v1/${'device'.repeat(1000)}`, undefined],
  ] as const) {
    assert.equal(suggestPath(given, ROUTES), meant, given.slice(0, 50));
  }
});

test('a method that one entry has and the collection has not is told', () => {
  assert.equal(suggestMember('PUT', '/api/v1/content', ROUTES), 'PUT /api/v1/content/{name}');
  assert.equal(suggestMember('DELETE', '/api/v1/content', ROUTES), 'DELETE /api/v1/content/{name}');
  assert.equal(suggestMember('PUT', '/api/v1/device', ROUTES), undefined);
});
