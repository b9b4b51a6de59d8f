/**
 * The file system of a RAUC bundle, without compression and signature: gooseBit reads its manifest. Made with
 * `mksquashfs FOLDER FILE -noI -noD -noF -noX -nopad -all-root -no-xattrs -mkfs-time 0 -all-time 0`.
 */
const BUNDLE = `aHNxcwIAAAAAAAAAAAACAAEAAAABABEAywMBAAQAAAAgAAAAAAAAADcBAAAAAAAALwEAAAAAAAD//////////48AAAAAAAAA0QAAAAAAAAAHAQAA
AAAAACEBAAAAAAAAW3VwZGF0ZV0KY29tcGF0aWJsZT12aXRyaW5lLXRlc3QKdmVyc2lvbj0xLjAuMApAgAIApAEAAAAAAAAAAAEAAAAAAAAAAAAA
AAAAAAAvAAAAAQDtAQAAAAAAAAAAAgAAAAAAAAACAAAAJQAAAAMAAAAigAAAAAAAAAAAAQAAAAAAAAACAA0AbWFuaWZlc3QucmF1Y20QgGAAAAAA
AAAALwAAAQAAAAD1AAAAAAAAABCAAAAAAAAAAAAgAAAAAAAAAA8BAAAAAAAABIAAAAAAKQEAAAAAAAA=`;

/** A bundle for `vitrine-test`. @param version of the form 1.2.3 @param bytes size, of which most are zeros */
export function smallBundle(version: string, bytes: number): Buffer {
  const squashfs = Buffer.from(BUNDLE, 'base64');
  squashfs.write(`version=${version}`, squashfs.indexOf('version=1.0.0'), 'latin1');
  return Buffer.concat([squashfs], Math.max(bytes, squashfs.length));
}
