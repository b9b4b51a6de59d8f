import type { Picture } from '../../testing/png.ts';

/** Characters by script; each is drawn alone in a cell. */
export const SCRIPTS = {
  Latin: 'AzÄßçñŁőŞžǅəḄẞ€ﬁ',
  Cyrillic: 'АяЁжЩъЄїҐўЉћҚөӘӣ',
  Greek: 'ΑωΆήΐΰΣςϊΏάέίόύώ',
  Arabic: 'ابجدهوپچژگکیےٹ٣۴',
  Hebrew: 'אבגדהזחטיךמןעףצש',
  Devanagari: 'अआइकखगघचजटडतनपम९',
  Thai: 'กขคงจชซญดตนบปผฟ๙',
  Chinese: '的一是国國龍龙鬱臺台麼么為为體骨',
  Japanese: 'あいんアヴ々働峠込畑榊辻雫凪噺、',
  Korean: '가나다한국뷁힣쀍똠펲햏갂ㄱㅎ뛟챫',
  emoji: '😀😂💛🎉🚀🍕🐶👍🌍🔥🎵⏰🥰🧠🫠🦄',
} as const;
/** Unassigned code points: each must be drawn as the missing glyph, or the comparison proves nothing. */
const UNASSIGNED = ['\u{378}', '\u{1c8f}', '\u{2fe0}', '\u{40000}'];
const CELL = { width: 72, height: 56 };
const COLUMNS = 16;

const rows = (): string[][] => [UNASSIGNED, ...Object.values(SCRIPTS).map((text) => [...text])];

/** A page with one character in each cell; the cells of the first row contain unassigned code points. */
export function glyphPage(): string {
  const cells = rows().flatMap((row, y) =>
    row.map(
      (character, x) =>
        `<i style="left:${x * CELL.width}px;top:${y * CELL.height}px">&#${character.codePointAt(0)};</i>`,
    ),
  );
  return `<!doctype html><meta charset="utf-8"><title>scripts</title><style>body{margin:0;background:#fff}
    i{position:absolute;width:${CELL.width}px;height:${CELL.height}px;overflow:hidden;contain:strict;
      font:normal 32px/${CELL.height}px sans-serif;text-align:center}</style>${cells.join('')}`;
}

/** The pixels of a cell as text. */
function cellAt({ width, rgb }: Picture, x: number, y: number): string {
  const lines = Array.from({ length: CELL.height }, (_, line) => {
    const start = ((y * CELL.height + line) * width + x * CELL.width) * 3;
    return Buffer.from(rgb.subarray(start, start + CELL.width * 3)).toString('latin1');
  });
  return lines.join('');
}

/** Whether a cell has a pixel that is not grey. */
function isColoured(cell: string): boolean {
  const bytes = Buffer.from(cell, 'latin1');
  return bytes.some((red, i) => i % 3 === 0 && Math.abs(red - Number(bytes[i + 1])) > 16);
}

/** What is wrong with a picture of the page, in sentences; empty when every character has a glyph of its own. */
export function missingGlyphs(picture: Picture): string[] {
  if (picture.width < COLUMNS * CELL.width || picture.height < rows().length * CELL.height)
    throw new Error(`the screen of ${picture.width} × ${picture.height} is too small for the page`);
  const blank = '\xff'.repeat(CELL.width * CELL.height * 3);
  const [tofu = '', ...others] = UNASSIGNED.map((_, x) => cellAt(picture, x, 0));
  if (tofu === blank) return ['the missing glyph is not visible'];
  if (others.some((other) => other !== tofu)) return ['the missing glyph is not always the same'];
  return Object.entries(SCRIPTS).flatMap(([script, text], row) =>
    [...text].flatMap((character, x) => {
      const cell = cellAt(picture, x, row + 1);
      const seen = `${script}: ${character} (U+${character.codePointAt(0)?.toString(16)})`;
      if (cell === tofu) return [`${seen} is the missing glyph`];
      if (cell === blank) return [`${seen} is blank`];
      return script === 'emoji' && !isColoured(cell) ? [`${seen} has no colour`] : [];
    }),
  );
}
