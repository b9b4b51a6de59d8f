const CUES = Buffer.from('1c53bb6b', 'hex');
/** The Seek element that gives the position of the cues in two bytes, as ffmpeg writes it. */
const SEEK = Buffer.from('4dbb8c53ab841c53bb6b53ac82', 'hex');
const SEGMENT = Buffer.from('18538067', 'hex');
const SEEK_HEAD = Buffer.from('114d9b74', 'hex');
const VOID = 0xec;

/** A WebM Void element with a total size of `bytes` (RFC 8794, section 11.3.2). */
function voidElement(bytes: number): Buffer {
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
 * Inserts a Void element of `bytes` before the cues (the index) of a clip that ffmpeg wrote. To seek, a player must then
 * request the cues with a range, as in a long film, or load the whole file.
 */
export function stretch(webm: Buffer, bytes: number): Buffer {
  const segmentSize = find(webm, SEGMENT) + SEGMENT.length;
  const data = segmentSize + 8;
  const head = find(webm, SEEK_HEAD, data);
  const seek = find(webm, SEEK, head);
  const filler = find(webm, Buffer.from([VOID, 0x01]), seek);
  const cues = webm.lastIndexOf(CUES);
  // The position grows from two bytes to four; the Void element that ffmpeg reserves for such changes shrinks.
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
    voidElement(fillerBytes - 2),
    webm.subarray(filler + fillerBytes, cues),
    voidElement(bytes),
    webm.subarray(cues),
  ]);
}
