import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { atMost } from '../at-most.ts';
import { defineResource } from '../resource.ts';
import { serve } from '../route.ts';
import { collect } from './collect.ts';
import { getDiagnostics } from './schema.ts';

/** The archive for support. */
export const diagnostics = defineResource({
  create: ({ routes }) => {
    const one = atMost(1, 'archives being made');
    return {
      service: undefined,
      routes: [
        serve(getDiagnostics, ({ query }) =>
          one(async () => await packed(collect(routes(), query.picture !== 'no', Date.now()))),
        ),
      ],
    };
  },
});

/** One file after the other, so that only the archive is in memory. */
async function packed(files: AsyncIterable<readonly [name: string, content: Buffer]>): Promise<Buffer> {
  const archive = new ZipFile();
  const made = buffer(archive.outputStream);
  for await (const [name, content] of files) archive.addBuffer(content, name);
  archive.end();
  return await made;
}
