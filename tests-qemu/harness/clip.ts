const CUES = Buffer.from('1c53bb6b', 'hex');
/** Where the file's directory says that the cues are: a Seek element with a position of two bytes, as ffmpeg writes it. */
const SEEK = Buffer.from('4dbb8c53ab841c53bb6b53ac82', 'hex');
const SEGMENT = Buffer.from('18538067', 'hex');
const SEEK_HEAD = Buffer.from('114d9b74', 'hex');
const VOID = 0xec;

/** A WebM Void element of that many bytes in all (RFC 8794, section 11.3.2). */
function emptiness(bytes: number): Buffer {
  const element = Buffer.alloc(bytes);
  element[0] = VOID;
  element.writeUInt32BE(0x01000000, 1);
  element.writeUInt32BE(bytes - 9, 5);
  return element;
}

function find(webm: Buffer, what: Buffer, from = 0): number {
  const at = webm.indexOf(what, from);
  if (at < 0) throw new Error(`the clip has no ${what.toString('hex')}`);
  return at;
}

/**
 * A clip as ffmpeg writes it, with that many bytes of nothing in front of its index: a player that is to jump has to
 * ask for the index by a range, as in a long film, or load everything.
 */
export function stretch(webm: Buffer, bytes: number): Buffer {
  const segmentSize = find(webm, SEGMENT) + SEGMENT.length;
  const data = segmentSize + 8;
  const head = find(webm, SEEK_HEAD, data);
  const seek = find(webm, SEEK, head);
  const filler = find(webm, Buffer.from([VOID, 0x01]), seek);
  const cues = webm.lastIndexOf(CUES);
  // The position grows from two bytes to four, at the cost of the filler that ffmpeg leaves for such changes.
  const position = Buffer.from('4dbb8e53ab841c53bb6b53ac8400000000', 'hex');
  position.writeUInt32BE(cues - data + bytes, position.length - 4);
  const start = Buffer.from(webm.subarray(0, seek));
  start.writeUInt32BE(start.readUInt32BE(segmentSize + 4) + bytes, segmentSize + 4);
  start[head + SEEK_HEAD.length] = Number(start[head + SEEK_HEAD.length]) + 2;
  const afterSeek = seek + SEEK.length + 2;
  const fillerBytes = 9 + webm.readUInt32BE(filler + 5);
  return Buffer.concat([
    start,
    position,
    webm.subarray(afterSeek, filler),
    emptiness(fillerBytes - 2),
    webm.subarray(filler + fillerBytes, cues),
    emptiness(bytes),
    webm.subarray(cues),
  ]);
}
