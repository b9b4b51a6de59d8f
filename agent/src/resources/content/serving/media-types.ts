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

/**
 * Gives the media type of a file by its extension, with the charset of text. The name is with or without folders; the
 * case of the extension does not matter.
 */
export type MediaTypes = (name: string) => string;

let loading: Promise<MediaTypes> | undefined;

/** Loads the types at the first call: the start of the agent needs none. */
export function mediaTypes(): Promise<MediaTypes> {
  loading ??= load();
  return loading;
}

async function load(): Promise<MediaTypes> {
  const [{ Mime }, { default: standard }, { default: other }] = await Promise.all([
    import('mime'),
    import('mime/types/standard.js'),
    import('mime/types/other.js'),
  ]);
  const mime = new Mime(standard, other).define(OWN_TYPES, true);
  return (name) => {
    // Without a folder `mime` would take a name without a dot for an extension.
    const type = mime.getType(`/${name}`) ?? 'application/octet-stream';
    return TEXT.test(type) ? `${type}; charset=utf-8` : type;
  };
}
