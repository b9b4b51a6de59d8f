/** The block map of a disk image, in the format 2.0 of bmaptool: the blocks that must be written, with checksums. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

const BLOCK = 4096;
const NO_CHECKSUM = '0'.repeat(64);

/** A range of bytes; `end` is exclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface BlockMap {
  /** The content of the .bmap file. */
  xml: string;
  /** SHA-256 of the whole image, in hexadecimal. */
  imageSha256: string;
}

/**
 * Makes the block map of an image. Every block belongs to it, even an empty one, except those that lie completely in
 * `unused`: a card that was used before has other content in blocks that are not written.
 */
export async function blockMap(image: string, unused: ByteRange): Promise<BlockMap> {
  const { size } = await stat(image);
  const blocks = Math.ceil(size / BLOCK);
  const [first, last] = [Math.ceil(unused.start / BLOCK), Math.floor(unused.end / BLOCK)];
  const ranges = [
    { from: 0, to: Math.min(first, blocks) },
    { from: Math.max(last, first), to: blocks },
  ]
    .filter(({ from, to }) => from < to)
    .map((range) => ({ ...range, hash: createHash('sha256') }));
  const whole = createHash('sha256');
  let at = 0;
  for await (const chunk of createReadStream(image, { highWaterMark: 4 * 2 ** 20 })) {
    const bytes: Buffer = chunk;
    whole.update(bytes);
    for (const { from, to, hash } of ranges) {
      const [start, end] = [Math.max(from * BLOCK - at, 0), Math.min(to * BLOCK - at, bytes.length)];
      if (start < end) hash.update(bytes.subarray(start, end));
    }
    at += bytes.length;
  }
  const lines = ranges.map(({ from, to, hash }) => {
    const place = to - from === 1 ? `${from}` : `${from}-${to - 1}`;
    return `        <Range chksum="${hash.digest('hex')}"> ${place} </Range>`;
  });
  const text = `<?xml version="1.0" ?>
<bmap version="2.0">
    <ImageSize> ${size} </ImageSize>
    <BlockSize> ${BLOCK} </BlockSize>
    <BlocksCount> ${blocks} </BlocksCount>
    <MappedBlocksCount> ${ranges.reduce((sum, { from, to }) => sum + to - from, 0)} </MappedBlocksCount>
    <ChecksumType> sha256 </ChecksumType>
    <BmapFileChecksum> ${NO_CHECKSUM} </BmapFileChecksum>
    <BlockMap>
${lines.join('\n')}
    </BlockMap>
</bmap>
`;
  // The checksum of the file with zeros in its place.
  const xml = text.replace(NO_CHECKSUM, createHash('sha256').update(text).digest('hex'));
  return { xml, imageSha256: whole.digest('hex') };
}
