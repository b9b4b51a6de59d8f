/** Files and folders that the user has dropped or chosen. */
import { isLeftOut, MAX_BYTES, MAX_FILES } from '../../../../client/bundle/pack.ts';
import { ActionError } from '../../app/failure.ts';
import { t } from '../../app/texts.ts';
import type { PackedFile } from './pack.ts';

/** A zip archive, which is sent as it is, or files, which are packed first. */
export type Picked =
  | { readonly kind: 'zip'; readonly name: string; readonly file: File }
  | {
      readonly kind: 'files';
      /** Of the folder; empty if there is none. */
      readonly name: string;
      readonly files: readonly PackedFile[];
      /** Files and folders that computers leave everywhere, and that no page needs. */
      readonly leftOut: number;
    };

/** Of folders in each other, which also ends a way that leads around in a circle. */
const MAX_DEPTH = 100;

/** A file from a file input, or one that was dropped alone. */
export function pickFile(file: File): Picked {
  const isZip = /\.zip$/i.test(file.name) || /zip/.test(file.type);
  if (isZip) return { kind: 'zip', name: file.name, file };
  return { kind: 'files', name: '', files: [{ path: file.name, file }], leftOut: 0 };
}

/** The folder from a file input for folders. @throws ActionError if it is empty or too large */
export function pickFolder(chosen: Iterable<File>): Picked {
  const found = new Found();
  let name = '';
  for (const file of chosen) {
    const [top = '', ...rest] = file.webkitRelativePath.split('/');
    name = top;
    found.add(rest.join('/'), file);
  }
  return found.picked(name);
}

/**
 * What was dropped: one file, one folder, or several of them, which together are the content of a folder. It must be
 * called while the event is handled, since browsers forget what was dropped after that.
 * @throws ActionError if it is empty, too large or cannot be read
 */
export async function pickDropped(transfer: DataTransfer): Promise<Picked> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const [first] = entries;
  if (!first) throw new ActionError(t('content.nothing'));
  if (entries.length > 1) return (await filesIn(entries.map((entry) => [entry.name, entry]))).picked('');
  if (isFile(first)) return pickFile(await fileOf(first, first.name));
  return (await filesIn([['', first]])).picked(first.name);
}

/** The files of a folder of the first level alone, which becomes the root. */
export function onlyIn(picked: Picked, folder: string): Picked {
  if (picked.kind === 'zip') return picked;
  const files = picked.files
    .filter(({ path }) => path.startsWith(`${folder}/`))
    .map(({ path, file }) => ({ path: path.slice(folder.length + 1), file }));
  return { ...picked, files };
}

/** @param roots with their paths in the bundle; the path of the root folder itself is empty */
async function filesIn(roots: (readonly [path: string, entry: FileSystemEntry])[]): Promise<Found> {
  const found = new Found();
  const open = [...roots];
  for (let next = open.pop(); next; next = open.pop()) {
    const [path, entry] = next;
    if (isFile(entry)) found.add(path, await fileOf(entry, path));
    else if (isFolder(entry) && !found.leavesOut(path)) {
      if (path.split('/').length > MAX_DEPTH) throw new ActionError(t('content.too_many'));
      const beginning = path === '' ? '' : `${path}/`;
      for (const child of await childrenOf(entry, path)) open.push([beginning + child.name, child]);
      if (open.length > MAX_FILES) throw new ActionError(t('content.too_many'));
    }
  }
  return found;
}

/** The files that were found so far. */
class Found {
  readonly #files: PackedFile[] = [];
  #bytes = 0;
  #leftOut = 0;

  /** @throws ActionError if it is one too many */
  add(path: string, file: File): void {
    if (this.leavesOut(path)) return;
    this.#files.push({ path, file });
    this.#bytes += file.size;
    if (this.#files.length > MAX_FILES) throw new ActionError(t('content.too_many'));
    if (this.#bytes > MAX_BYTES) throw new ActionError(t('content.too_large'));
  }

  /** Whether a file or folder is left out, which is counted then. */
  leavesOut(path: string): boolean {
    const isOut = isLeftOut(path);
    if (isOut) this.#leftOut += 1;
    return isOut;
  }

  /** @throws ActionError if there is nothing */
  picked(name: string): Picked {
    if (this.#files.length === 0) throw new ActionError(t('content.nothing'));
    return { kind: 'files', name, files: this.#files, leftOut: this.#leftOut };
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

async function fileOf(entry: FileSystemFileEntry, path: string): Promise<File> {
  return await new Promise<File>((resolve, reject) => entry.file(resolve, reject)).catch(() => {
    throw new ActionError(t('content.unreadable', { path }));
  });
}

/** Browsers give some at a time, and none after the last. */
async function childrenOf(folder: FileSystemDirectoryEntry, path: string): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    ).catch(() => {
      throw new ActionError(t('content.unreadable', { path: path === '' ? folder.name : path }));
    });
    if (some.length === 0) return children;
    children.push(...some);
    if (children.length > MAX_FILES) throw new ActionError(t('content.too_many'));
  }
}
