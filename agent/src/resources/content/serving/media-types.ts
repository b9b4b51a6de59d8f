/**
 * The media type of a file by its extension. An own table, because the packages for it either lack types that bundles
 * need (`mime/lite` has no .m3u8, .ico, .flac or .mkv, and another type for .cjs) or cost 3 ms and more of the agent's
 * start for a thousand types that browsers do not use.
 */

/** Parameter of text types: all text in bundles is served as UTF-8. */
const UTF8 = '; charset=utf-8';

const TYPES: Readonly<Record<string, string>> = {
  // Documents, styles, scripts
  html: `text/html${UTF8}`,
  htm: `text/html${UTF8}`,
  xhtml: `application/xhtml+xml${UTF8}`,
  css: `text/css${UTF8}`,
  js: `text/javascript${UTF8}`,
  mjs: `text/javascript${UTF8}`,
  cjs: `text/javascript${UTF8}`,
  wasm: 'application/wasm', // without parameter, as WebAssembly.instantiateStreaming demands
  webmanifest: `application/manifest+json${UTF8}`,
  // Data
  json: `application/json${UTF8}`,
  map: `application/json${UTF8}`,
  jsonld: `application/ld+json${UTF8}`,
  geojson: `application/geo+json${UTF8}`,
  topojson: `application/json${UTF8}`,
  xml: `application/xml${UTF8}`,
  xsl: `application/xslt+xml${UTF8}`,
  atom: `application/atom+xml${UTF8}`,
  rss: `application/rss+xml${UTF8}`,
  txt: `text/plain${UTF8}`,
  md: `text/markdown${UTF8}`,
  csv: `text/csv${UTF8}`,
  tsv: `text/tab-separated-values${UTF8}`,
  ics: `text/calendar${UTF8}`,
  yaml: `application/yaml${UTF8}`,
  yml: `application/yaml${UTF8}`,
  toml: `application/toml${UTF8}`,
  pdf: 'application/pdf',
  zip: 'application/zip',
  gz: 'application/gzip',
  // Images
  svg: `image/svg+xml${UTF8}`,
  png: 'image/png',
  apng: 'image/apng',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  jfif: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  jxl: 'image/jxl',
  heic: 'image/heic',
  bmp: 'image/bmp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  ico: 'image/vnd.microsoft.icon',
  cur: 'image/vnd.microsoft.icon',
  // Fonts
  woff2: 'font/woff2',
  woff: 'font/woff',
  ttf: 'font/ttf',
  otf: 'font/otf',
  ttc: 'font/collection',
  eot: 'application/vnd.ms-fontobject',
  // Video, its playlists and subtitles
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  webm: 'video/webm',
  ogv: 'video/ogg',
  mov: 'video/quicktime',
  mkv: 'video/matroska',
  avi: 'video/x-msvideo',
  mpeg: 'video/mpeg',
  mpg: 'video/mpeg',
  ts: 'video/mp2t',
  m4s: 'video/iso.segment',
  m3u8: `application/vnd.apple.mpegurl${UTF8}`,
  mpd: `application/dash+xml${UTF8}`,
  vtt: `text/vtt${UTF8}`,
  srt: `text/plain${UTF8}`,
  // Sound
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  weba: 'audio/webm',
  wav: 'audio/wav',
  flac: 'audio/flac',
  mid: 'audio/midi',
  // Models and textures
  glb: 'model/gltf-binary',
  gltf: `model/gltf+json${UTF8}`,
  obj: `model/obj${UTF8}`,
  mtl: `model/mtl${UTF8}`,
  ktx2: 'image/ktx2',
  lottie: 'application/zip+dotlottie',
};

/** @param name of a file, with or without folders; the case of the extension does not matter */
export function mediaType(name: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return (Object.hasOwn(TYPES, extension) && TYPES[extension]) || 'application/octet-stream';
}
