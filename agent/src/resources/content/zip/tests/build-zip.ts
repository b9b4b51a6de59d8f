/** Builds valid and invalid zip archives: every header field can be overridden. */
import { crc32, deflateRawSync } from 'node:zlib';

/** The fields of an entry's header; they override the correct values. */
export interface HeaderFields {
  signature?: number;
  /** Version made by; the upper byte is the system. Central header only. */
  madeBy?: number;
  needs?: number;
  flags?: number;
  method?: number;
  /** Time and date in MS-DOS format. */
  time?: number;
  date?: number;
  crc?: number;
  compressedBytes?: number;
  bytes?: number;
  name?: string | Buffer;
  nameLength?: number;
  extra?: Buffer;
  extraLength?: number;
  /** This and the following fields are in the central header only. */
  disk?: number;
  /** External attributes; the upper half is the unix mode. */
  attributes?: number;
  offset?: number;
}

export type Descriptor = 'bare' | 'signed' | 'bare64' | 'signed64';

export interface EntrySpec extends HeaderFields {
  name: string | Buffer;
  data?: string | Buffer;
  /** The packed bytes, if they must differ from deflated `data`. */
  packed?: Buffer;
  /** Follows the data; a Buffer is written as it is. Sets flag bit 3. */
  descriptor?: Descriptor | Buffer;
  /** Which headers have their sizes (and offset) in a zip64 field. */
  zip64?: 'local' | 'central' | 'both';
  comment?: string | Buffer;
  /** Overrides for one of the two headers only. */
  local?: HeaderFields;
  central?: HeaderFields;
  /** Bytes before the local header. */
  before?: Buffer;
  /** Only a local header with data, or only a central header. */
  only?: 'local' | 'central';
}

export interface EndFields {
  disk?: number;
  directoryDisk?: number;
  entriesHere?: number;
  entries?: number;
  bytes?: number;
  start?: number;
}

export interface ArchiveSpec {
  /** Bytes before the first entry; offsets include them. */
  before?: Buffer;
  beforeDirectory?: Buffer;
  /** Between the directory and the end records; part of the directory's size when `isInDirectory`. */
  afterDirectory?: Buffer;
  isInDirectory?: boolean;
  comment?: string | Buffer;
  commentLength?: number;
  after?: Buffer;
  end?: EndFields;
  /** Writes zip64 end records; the fields are those of the zip64 record. */
  zip64?: EndFields & { recordBytes?: number; position?: number; locatorDisk?: number; parts?: number };
}

const u16 = (value: number) => Buffer.from(new Uint16Array([value]).buffer);
const u32 = (value: number) => Buffer.from(new Uint32Array([value]).buffer);
export const u64 = (value: number | bigint) => Buffer.from(new BigUint64Array([BigInt(value)]).buffer);

/** One extra field. */
export function extraField(id: number, data: Buffer): Buffer {
  return Buffer.concat([u16(id), u16(data.length), data]);
}

interface Plain {
  data: Buffer;
  packed: Buffer;
  fields: Required<Omit<HeaderFields, 'nameLength' | 'extraLength'>>;
}

function plain(spec: EntrySpec): Plain {
  const data = Buffer.from(spec.data ?? '');
  const method = spec.method ?? (data.length > 0 ? 8 : 0);
  const packed = spec.packed ?? (method === 8 ? deflateRawSync(data) : data);
  const name = Buffer.from(spec.name);
  const isFolder = name.at(-1) === 0x2f;
  const flags = (spec.descriptor === undefined ? 0 : 8) | (name.some((byte) => byte > 0x7f) ? 0x800 : 0);
  return {
    data,
    packed,
    fields: {
      signature: 0,
      madeBy: 0x031e,
      needs: spec.zip64 ? 45 : 20,
      flags,
      time: 0x6000,
      date: 0x5921,
      crc: crc32(data),
      compressedBytes: packed.length,
      bytes: data.length,
      extra: Buffer.alloc(0),
      disk: 0,
      attributes: isFolder ? ((0x41ed << 16) | 0x10) >>> 0 : (0x81a4 << 16) >>> 0,
      offset: 0,
      ...given(spec),
      name,
      method,
    },
  };
}

/** The header fields that a spec overrides. */
function given(spec: EntrySpec): HeaderFields {
  const { data, packed, descriptor, zip64, comment, local, central, before, only, ...fields } = spec;
  return fields;
}

function localHeader(spec: EntrySpec, { fields }: Plain): Buffer {
  const isLate = spec.descriptor !== undefined;
  const late = isLate ? { crc: 0, bytes: 0, compressedBytes: 0 } : {};
  const f = { ...fields, ...late, signature: 0x04034b50, ...spec.local };
  if (spec.zip64 === 'local' || spec.zip64 === 'both') {
    f.extra = Buffer.concat([extraField(1, Buffer.concat([u64(f.bytes), u64(f.compressedBytes)])), f.extra]);
    f.bytes = spec.local?.bytes ?? 0xffff_ffff;
    f.compressedBytes = spec.local?.compressedBytes ?? 0xffff_ffff;
  }
  const name = Buffer.from(f.name);
  return Buffer.concat([
    u32(f.signature),
    u16(f.needs),
    u16(f.flags),
    u16(f.method),
    u16(f.time),
    u16(f.date),
    u32(f.crc),
    u32(f.compressedBytes),
    u32(f.bytes),
    u16(spec.local?.nameLength ?? name.length),
    u16(spec.local?.extraLength ?? f.extra.length),
    name,
    f.extra,
  ]);
}

function centralHeader(spec: EntrySpec, { fields }: Plain, offset: number): Buffer {
  const f = { ...fields, offset, signature: 0x02014b50, ...spec.central };
  if (spec.zip64 === 'central' || spec.zip64 === 'both') {
    const sizes = [u64(f.bytes), u64(f.compressedBytes), u64(f.offset)];
    f.extra = Buffer.concat([extraField(1, Buffer.concat(sizes)), f.extra]);
    f.bytes = 0xffff_ffff;
    f.compressedBytes = 0xffff_ffff;
    f.offset = 0xffff_ffff;
  }
  const name = Buffer.from(f.name);
  const comment = Buffer.from(spec.comment ?? '');
  return Buffer.concat([
    u32(f.signature),
    u16(f.madeBy),
    u16(f.needs),
    u16(f.flags),
    u16(f.method),
    u16(f.time),
    u16(f.date),
    u32(f.crc),
    u32(f.compressedBytes),
    u32(f.bytes),
    u16(spec.central?.nameLength ?? name.length),
    u16(spec.central?.extraLength ?? f.extra.length),
    u16(comment.length),
    u16(f.disk),
    u16(0),
    u32(f.attributes),
    u32(f.offset),
    name,
    f.extra,
    comment,
  ]);
}

/** A data descriptor with these numbers. */
export function descriptor(kind: Descriptor, crc: number, compressedBytes: number, bytes: number): Buffer {
  const size = kind.endsWith('64') ? u64 : u32;
  const signature = kind.startsWith('signed') ? [u32(0x08074b50)] : [];
  return Buffer.concat([...signature, u32(crc), size(compressedBytes), size(bytes)]);
}

/** An archive of these entries. */
export function buildZip(entries: EntrySpec[], archive: ArchiveSpec = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let position = 0;
  const add = (part: Buffer | undefined) => {
    if (!part) return;
    parts.push(part);
    position += part.length;
  };
  add(archive.before);
  for (const spec of entries) {
    const it = plain(spec);
    add(spec.before);
    const offset = position;
    if (spec.only !== 'central') {
      add(localHeader(spec, it));
      add(it.packed);
      const { crc, compressedBytes, bytes } = it.fields;
      if (typeof spec.descriptor === 'string') add(descriptor(spec.descriptor, crc, compressedBytes, bytes));
      else add(spec.descriptor);
    }
    if (spec.only !== 'local') directory.push(centralHeader(spec, it, offset));
  }
  add(archive.beforeDirectory);
  const start = position;
  for (const header of directory) add(header);
  let bytes = position - start;
  add(archive.afterDirectory);
  if (archive.isInDirectory) bytes = position - start;
  const count = directory.length;
  const counts = { disk: 0, directoryDisk: 0, entriesHere: count, entries: count, bytes, start };
  if (archive.zip64) addZip64End({ ...counts, ...archive.zip64 }, position, add);
  const saturated = { entriesHere: 0xffff, entries: 0xffff, bytes: 0xffff_ffff, start: 0xffff_ffff };
  const end = { ...counts, ...(archive.zip64 && saturated), ...archive.end };
  const comment = Buffer.from(archive.comment ?? '');
  add(u32(0x06054b50));
  for (const value of [end.disk, end.directoryDisk, end.entriesHere, end.entries]) add(u16(value));
  add(u32(end.bytes));
  add(u32(end.start));
  add(u16(archive.commentLength ?? comment.length));
  add(comment);
  add(archive.after);
  return Buffer.concat(parts);
}

function addZip64End(
  fields: Required<EndFields> & NonNullable<ArchiveSpec['zip64']>,
  position: number,
  add: (part: Buffer) => void,
): void {
  add(u32(0x06064b50));
  add(u64(fields.recordBytes ?? 44));
  add(u16(45));
  add(u16(45));
  add(u32(fields.disk));
  add(u32(fields.directoryDisk));
  add(u64(fields.entriesHere));
  add(u64(fields.entries));
  add(u64(fields.bytes));
  add(u64(fields.start));
  add(u32(0x07064b50));
  add(u32(fields.locatorDisk ?? 0));
  add(u64(fields.position ?? position));
  add(u32(fields.parts ?? 1));
}
