/** The mouse pointer as an Xcursor file. The device's cursor theme consists of this one image. */

/** `#` is the black edge, `.` the white inside. The hot spot is the first pixel. */
const ARROW = `
#
##
#.#
#..#
#...#
#....#
#.....#
#......#
#.......#
#........#
#.........#
#..........#
#......#####
#...#..#
#..# #..#
#.#  #..#
##    #..#
#     #..#
       ##`
  .split('\n')
  .slice(1);

const NOMINAL_SIZE = 24;
const IMAGE = 0xfffd0002;
const FILE_HEADER = 16;
const TABLE_ENTRY = 12;
const IMAGE_HEADER = 36;
const COLOURS: Record<string, number> = { '#': 0xff000000, '.': 0xffffffff };

/** The Xcursor file: header, table of contents with one entry, one image of 32-bit ARGB pixels. */
export function arrowCursor(): Buffer {
  const width = Math.max(...ARROW.map((line) => line.length));
  const position = FILE_HEADER + TABLE_ENTRY;
  const words = [
    ...[0x72756358, FILE_HEADER, 0x10000, 1],
    ...[IMAGE, NOMINAL_SIZE, position],
    ...[IMAGE_HEADER, IMAGE, NOMINAL_SIZE, 1, width, ARROW.length, 0, 0, 0],
    ...ARROW.flatMap((line) => Array.from({ length: width }, (_, x) => COLOURS[line[x] ?? ' '] ?? 0)),
  ];
  const file = Buffer.alloc(words.length * 4);
  for (const [i, word] of words.entries()) file.writeUInt32LE(word, i * 4);
  return file;
}
