/**
 * U-Boot's redundant environment as libubootenv and U-Boot define it (doc/usage/environment.rst and env/common.c of
 * U-Boot, `struct uboot_flag_env` of libubootenv): crc32 of the data, little-endian; one byte of generation; then
 * `name=value` strings, each ended by a NUL, the last one by two.
 */
import { crc32 } from 'node:zlib';

/** Bytes of one copy; `ENV_SIZE` of board/common/partitions.env, as the scenario checks. */
export const ENVIRONMENT_SIZE = 0x4000;
const CRC_SIZE = 4;
const HEADER_SIZE = 5;

/** The content of a copy with a valid crc. */
export interface Environment {
  generation: number;
  variables: Record<string, string>;
}

/** The bytes of a copy. */
export function encode({ generation, variables }: Environment, size = ENVIRONMENT_SIZE): Buffer {
  const copy = Buffer.alloc(size);
  const text = Object.entries(variables).map(([name, value]) => `${name}=${value}\0`);
  const data = Buffer.from(text.join(''), 'latin1');
  if (HEADER_SIZE + data.length + 1 > size) throw new Error('the environment does not fit');
  data.copy(copy, HEADER_SIZE);
  copy.writeUInt8(generation, CRC_SIZE);
  copy.writeUInt32LE(crc32(copy.subarray(HEADER_SIZE)), 0);
  return copy;
}

/** Decodes a copy; undefined when it is missing or too short, or its crc is wrong. Excess bytes are ignored. */
export function decode(file: Buffer | undefined, size = ENVIRONMENT_SIZE): Environment | undefined {
  if (!file || file.length < size) return undefined;
  const data = file.subarray(HEADER_SIZE, size);
  if (file.readUInt32LE(0) !== crc32(data)) return undefined;
  const variables: Record<string, string> = {};
  for (let at = 0; at < data.length && data[at] !== 0; ) {
    const nul = data.indexOf(0, at);
    const end = nul < 0 ? data.length : nul;
    const text = data.toString('latin1', at, end);
    const equals = text.indexOf('=');
    if (equals > 0) variables[text.slice(0, equals)] = text.slice(equals + 1);
    at = end + 1;
  }
  return { generation: file.readUInt8(CRC_SIZE), variables };
}

/** Which of two copies is active: the only valid one, or the newer of two valid ones. Generation 0 follows 255. */
export function activeCopy(
  first: Environment | undefined,
  second: Environment | undefined,
): 0 | 1 | undefined {
  if (!first || !second) return first ? 0 : second ? 1 : undefined;
  const wrapped = Math.abs(first.generation - second.generation) === 255;
  if (wrapped) return first.generation === 0 ? 0 : 1;
  return second.generation > first.generation ? 1 : 0;
}
