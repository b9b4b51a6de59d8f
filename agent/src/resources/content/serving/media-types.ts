import type { Mime } from 'mime';

/** Extensions that the `mime` package lacks or gives a type that is unregistered or of no use to browsers. */
const OWN_TYPES = {
  'application/json': ['topojson'],
  'application/xslt+xml': ['xsl'],
  'application/yaml': ['yaml', 'yml'],
  'audio/flac': ['flac'],
  'image/jpeg': ['jfif'],
  'image/vnd.microsoft.icon': ['cur'],
  'text/javascript': ['cjs'],
  'text/plain': ['srt'],
  'video/matroska': ['mkv'],
  'video/mp4': ['m4v'],
};
/** Types of text. All text in bundles is served as UTF-8. */
const TEXT = /^text\/|[/+](?:json|xml|yaml|toml)$|^application\/vnd\.apple\.mpegurl$|^model\/(?:obj|mtl)$/;

let loading: Promise<Mime> | undefined;

/**
 * The media type of a file by its extension, with the charset of text.
 * @param name of a file, with or without folders; the case of the extension does not matter
 */
export async function mediaType(name: string): Promise<string> {
  loading ??= loadTypes();
  // Without a folder `mime` would take a name without a dot for an extension.
  const type = (await loading).getType(`/${name}`) ?? 'application/octet-stream';
  return TEXT.test(type) ? `${type}; charset=utf-8` : type;
}

/** Late, since the start of the agent needs no types. */
async function loadTypes(): Promise<Mime> {
  const [{ Mime }, { default: standard }, { default: other }] = await Promise.all([
    import('mime'),
    import('mime/types/standard.js'),
    import('mime/types/other.js'),
  ]);
  return new Mime(standard, other).define(OWN_TYPES, true);
}
