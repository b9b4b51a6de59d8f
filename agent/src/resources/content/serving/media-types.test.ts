import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mediaTypes } from './media-types.ts';

test('files have the types that browsers need', async () => {
  const mediaType = await mediaTypes();
  for (const [name, type] of [
    ['index.html', 'text/html; charset=utf-8'],
    ['app.css', 'text/css; charset=utf-8'],
    ['app.js', 'text/javascript; charset=utf-8'],
    ['app.min.mjs', 'text/javascript; charset=utf-8'],
    ['lib/app.wasm', 'application/wasm'],
    ['site.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['app.js.map', 'application/json; charset=utf-8'],
    ['data.json', 'application/json; charset=utf-8'],
    ['LOGO.SVG', 'image/svg+xml; charset=utf-8'],
    ['photo.avif', 'image/avif'],
    ['favicon.ico', 'image/vnd.microsoft.icon'],
    ['font.woff2', 'font/woff2'],
    ['film.webm', 'video/webm'],
    ['film.mp4', 'video/mp4'],
    ['live.m3u8', 'application/vnd.apple.mpegurl; charset=utf-8'],
    ['live0.ts', 'video/mp2t'],
    ['titles.vtt', 'text/vtt; charset=utf-8'],
    ['sound.flac', 'audio/flac'],
    ['scan.jfif', 'image/jpeg'],
    ['film.mkv', 'video/matroska'],
    ['html', 'application/octet-stream'],
    ['LICENSE', 'application/octet-stream'],
    ['folder.html/file', 'application/octet-stream'],
    ['x.constructor', 'application/octet-stream'],
    ['x.', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ] as const) {
    assert.equal(mediaType(name), type, name);
  }
});
