import { crc32 } from 'node:zlib';
import { extraField } from './build-zip.ts';
import { type CorpusZip, made, PAGE } from './corpus-zip.ts';

const named = (what: string, name: string | Buffer, expected: CorpusZip['expected']) =>
  made(what, expected, [PAGE, { name, data: 'x' }]);
const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Info-ZIP's extra field with the name as UTF-8. */
function unicodePath(headerName: string, name: string): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(1, 0);
  head.writeUInt32LE(crc32(headerName), 1);
  return extraField(0x7075, Buffer.concat([head, Buffer.from(name)]));
}

/** Paths, and names that collide. */
export const NAME_ZIPS: readonly CorpusZip[] = [
  named('a path that leaves the root', '../evil.html', /"\.\.\/evil\.html" has "\." or "\.\." in its path/),
  named(
    'a path that leaves the root from within',
    'a/../../evil',
    /"a\/\.\.\/\.\.\/evil" has "\." or "\.\."/,
  ),
  named('a path that ends with ..', 'a/..', /"a\/\.\." has "\." or "\.\."/),
  named('a folder ..', '../', /"\.\.\/" has "\." or "\.\."/),
  named('a segment of one dot', './style.css', /"\.\/style\.css" has "\."/),
  named('a name of three dots', '...', 'ok'),
  named('two dots within a name', 'a..b', 'ok'),
  named('an absolute path', '/etc/passwd', /"\/etc\/passwd" has an absolute path/),
  named('a path of two slashes', '//server/share', /"\/\/server\/share" has an absolute path/),
  named('the name of the root folder', '/', /"\/" has an absolute path/),
  named('a backslash', 'a\\b.js', /"a\\\\b\.js" has a backslash/),
  named('a path that leaves the root with backslashes', '..\\evil', /"\.\.\\\\evil" has a backslash/),
  named('a drive letter', 'C:/windows', /"C:\/windows" has a drive letter/),
  named('a drive letter without a slash', 'c:x', /"c:x" has a drive letter/),
  named('a colon that is no drive', 'time 12:30.txt', 'ok'),
  named('a NUL', 'index.html\0.png', /"index\.html\\u0000\.png" has a control character/),
  named('a line break', 'a\nb', /"a\\nb" has a control character/),
  named('an escape sequence', '\u001b[2Jx', /"\\u001b\[2Jx" has a control character/),
  named('DEL', 'a\u007fb', /has a control character/),
  named('a C1 control character', 'a\u0085b', /"a\\u\{85\}b" has a control character/),
  named('an empty name', '', /An entry has an empty name/),
  named('an empty segment', 'a//b', /"a\/\/b" has an empty segment/),
  named('a folder with two slashes', 'a//', /"a\/\/" has an empty segment/),
  named(
    'a name that is not UTF-8',
    latin1('gr\xfc\xdfe.txt'),
    /"gr\ufffd\ufffde\.txt" has a name that is not UTF-8/,
  ),
  named(
    'an overlong encoding of a slash',
    latin1('a\xc0\xafb'),
    /"a\ufffd\ufffdb" has a name that is not UTF-8/,
  ),
  named('an overlong encoding of ..', latin1('\xc0\xae\xc0\xae/x'), /has a name that is not UTF-8/),
  named('an encoded surrogate', latin1('a\xed\xa0\x80'), /has a name that is not UTF-8/),
  named('a cut-off character', latin1('a\xe2\x82'), /has a name that is not UTF-8/),
  named('a name with a right-to-left override', 'a\u202egnp.js', 'ok'),
  named('UTF-8 with its flag', 'grüße/日本語 🎉.txt', 'ok'),
  made('UTF-8 without its flag, as macOS writes it', 'ok', [
    PAGE,
    { name: 'grüße.txt', data: 'x', flags: 0 },
  ]),
  made('ASCII with the flag for UTF-8', 'ok', [{ ...PAGE, flags: 0x800 }]),
  named('spaces, percent signs and a question mark', ' a %2e%2e%2f?#&.txt', 'ok'),
  named('a name of 1025 bytes', `${'a/'.repeat(50)}${'b'.repeat(925)}`, /has a name longer than 1024 bytes/),
  named(
    'a name of 65 535 bytes',
    'a'.repeat(65_535),
    /^The entry "a{80}…" has a name longer than 1024 bytes\.$/,
  ),
  named('a segment of 256 bytes', `a/${'ä'.repeat(128)}`, 'ok'),
  named('a segment of 255 bytes', `a/${'b'.repeat(255)}`, 'ok'),
  named('65 folders deep', `${'a/'.repeat(64)}b`, /is more than 64 folders deep/),
  named('64 levels', `${'a/'.repeat(63)}b`, 'ok'),
  made('one name twice', /"a" is in the archive twice/, [
    PAGE,
    { name: 'a', data: '1' },
    { name: 'a', data: '2' },
  ]),
  made('index.html twice', /"index\.html" is in the archive twice/, [PAGE, { ...PAGE, data: 'another' }]),
  made('one folder twice', /"a\/" is in the archive twice/, [PAGE, { name: 'a/' }, { name: 'a/' }]),
  made(
    'names that differ by case',
    /"INDEX\.HTML" collides with another: "INDEX\.HTML" and "index\.html" differ only by case/,
    [PAGE, { name: 'INDEX.HTML', data: 'x' }],
  ),
  made(
    'folders that differ by case',
    /"Img\/b\.png" collides with another: "Img" and "img" differ only by case/,
    [PAGE, { name: 'img/a.png', data: 'x' }, { name: 'Img/b.png', data: 'x' }],
  ),
  made(
    'names that differ by the case of letters beyond ASCII',
    / differ only by case or Unicode composition/,
    [PAGE, { name: 'ÄÖÜ', data: 'x' }, { name: 'äöü', data: 'x' }],
  ),
  made('names that differ by the case of a sigma', / differ only by case or Unicode composition/, [
    PAGE,
    { name: 'ΟΔΟΣ', data: 'x' },
    { name: 'οδοσ', data: 'x' },
  ]),
  made('names that differ by Unicode composition', / differ only by case or Unicode composition/, [
    PAGE,
    { name: 'é', data: 'x' },
    { name: 'e\u0301', data: 'x' },
  ]),
  made('names that differ by both', / differ only by case or Unicode composition/, [
    PAGE,
    { name: 'É', data: 'x' },
    { name: 'e\u0301', data: 'x' },
  ]),
  made('a file that is also a folder', /"a\/b" makes "a" both a file and a folder/, [
    PAGE,
    { name: 'a', data: 'x' },
    { name: 'a/b', data: 'x' },
  ]),
  made('a folder that becomes a file', /"a" makes "a" both a file and a folder/, [
    PAGE,
    { name: 'a/b/c', data: 'x' },
    { name: 'a', data: 'x' },
  ]),
  made('an empty folder and a file of its name', /"a\/" makes "a" both a file and a folder/, [
    PAGE,
    { name: 'a', data: 'x' },
    { name: 'a/' },
  ]),
  made('folders of their own after what they hold', 'ok', [
    { name: 'a/b/c.txt', data: 'x' },
    { name: 'a/b/' },
    PAGE,
    { name: 'a/' },
  ]),
  made('a second name in an extra field', /"a\.txt" has an extra field with another name/, [
    PAGE,
    { name: 'a.txt', data: 'x', extra: unicodePath('a.txt', '../evil') },
  ]),
  made('a second name in the local header alone', /"a\.txt" has an extra field with another name/, [
    PAGE,
    { name: 'a.txt', data: 'x', local: { extra: unicodePath('a.txt', 'b.txt') } },
  ]),
  made('the same name in an extra field', 'ok', [
    PAGE,
    { name: 'ä.txt', data: 'x', flags: 0, extra: unicodePath('ä.txt', 'ä.txt') },
  ]),
  made('no index.html', /no file "index\.html" at its root\.$/, [{ name: 'page.html', data: 'x' }]),
  made('an empty archive', /no file "index\.html" at its root; it is empty\.$/, []),
  made(
    'index.html one folder deeper',
    /at its root; there is "dist\/index\.html": pack the content of the folder/,
    [{ name: 'dist/' }, { ...PAGE, name: 'dist/index.html' }],
  ),
  made('a folder index.html', /no file "index\.html" at its root/, [{ name: 'index.html/' }]),
  made('Index.HTML', /at its root; there is "Index\.HTML": name it index\.html\.$/, [
    { ...PAGE, name: 'Index.HTML' },
  ]),
  made('more folders than fit into memory', /The archive has more than 200000 files and folders/, [
    PAGE,
    ...Array.from({ length: 3300 }, (_, index) => ({ name: `${index}/${'a/'.repeat(62)}` })),
  ]),
];
