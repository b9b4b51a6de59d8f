import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** The output of `sfdisk --json`; numbers are sectors. */
const Table = Type.Object({
  partitiontable: Type.Object({
    label: Type.String(),
    id: Type.String(),
    partitions: Type.Array(
      Type.Object({
        start: Type.Integer(),
        size: Type.Integer(),
        type: Type.String(),
        name: Type.Optional(Type.String()),
      }),
    ),
  }),
});
export type Table = Type.Static<typeof Table>['partitiontable'];

/** The output of a program, and whether it succeeded. */
export interface ProgramResult {
  ok: boolean;
  text: string;
}

/** The output of `collect.sh` for a board. */
export interface Evidence {
  board: string;
  /** The variables that `board/common/render.sh` substitutes, and their values. */
  defined: ReadonlyMap<string, string>;
  /** Rendered files by name. */
  templates: ReadonlyMap<string, string>;
  table: Table;
  /** The disk's first sector. */
  mbr: Buffer;
  /** The files in the disk's FAT by path. */
  fat: ReadonlyMap<string, Buffer>;
  /** Results of the programs, by the names that `collect.sh` gives them. */
  programs: ReadonlyMap<string, ProgramResult>;
}

/** The lines NAME=VALUE that `board/common/show.sh` prints. */
export function parseDefinitions(text: string): Map<string, string> {
  return new Map(
    text
      .split('\n')
      .filter((line) => line.includes('='))
      .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Reads the output of `collect.sh` in `folder`. Throws an error with one sentence when the disk could not be built. */
export function readEvidence(board: string, folder: string): Evidence {
  const files = filesBelow(folder);
  const programs = new Map<string, ProgramResult>();
  for (const [path, content] of files) {
    if (path.includes('/') || path.endsWith('.failed')) continue;
    programs.set(path, { ok: !files.has(`${path}.failed`), text: content.toString() });
  }
  for (const name of ['definitions', 'post-build', 'post-image', 'table', 'fat-copy']) {
    const { ok, text } = programs.get(name) ?? { ok: false, text: 'it was not run' };
    if (!ok) throw new Error(`${name}: ${text.trim()}`);
  }
  const table: unknown = JSON.parse(programs.get('table')?.text ?? '');
  return {
    board,
    defined: parseDefinitions(programs.get('definitions')?.text ?? ''),
    templates: new Map(
      [...below(files, 'templates/')].map(([name, content]): [string, string] => [name, content.toString()]),
    ),
    table: Value.Parse(Table, table).partitiontable,
    mbr: files.get('mbr') ?? Buffer.alloc(0),
    fat: below(files, 'fat/'),
    programs,
  };
}

function filesBelow(folder: string): Map<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile());
  return new Map(paths.map((path): [string, Buffer] => [relative(folder, path), readFileSync(path)]));
}

function below(files: Map<string, Buffer>, prefix: string): Map<string, Buffer> {
  const found = [...files].filter(([path]) => path.startsWith(prefix));
  return new Map(found.map(([path, content]): [string, Buffer] => [path.slice(prefix.length), content]));
}
