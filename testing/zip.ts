import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** Files that are already compressed are stored, so that ranges of them can be read without inflating. */
const MEDIA = /\.(?:webm|mp4|png|jpg|woff2)$/;

/** Creates a zip archive of files, which are given by their paths in it. */
export async function zip(files: Record<string, string | Buffer>): Promise<Buffer> {
  const archive = new ZipFile();
  const made = buffer(archive.outputStream);
  for (const [path, content] of Object.entries(files)) {
    archive.addBuffer(Buffer.from(content), path, { compress: !MEDIA.test(path) });
  }
  archive.end();
  return await made;
}
