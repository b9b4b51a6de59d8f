/** Files that were chosen and not sent yet, with what is in them. */
import { useRef, useState } from 'preact/hooks';
import { plural, t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { IconButton } from '../../parts/button.tsx';
import { FileDrop } from '../../parts/file-drop.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { MAX_BYTES, type Part, type PartKind, type ReadFile, readCertificateFile } from './pem-files.ts';

export interface ChosenFile {
  readonly id: number;
  readonly name: string;
  readonly content: ReadFile;
}

/** Certificate, chain and key may each be a file of their own. */
const MOST = 8;
const ACCEPT = '.pem,.crt,.cer,.der,.key,.p12,.pfx,application/x-pem-file,application/x-x509-ca-cert';

export interface ChosenFiles {
  readonly files: readonly ChosenFile[];
  /** Of all files. */
  readonly parts: readonly Part[];
  /** Whether every file can be used. */
  readonly areReadable: boolean;
  add(files: Iterable<File>): Promise<void>;
  remove(id: number): void;
  clear(): void;
}

export function useChosenFiles(): ChosenFiles {
  const [files, setFiles] = useState<readonly ChosenFile[]>([]);
  const lastId = useRef(0);
  return {
    files,
    parts: files.flatMap(({ content }) => content.parts),
    areReadable: files.every(({ content }) => content.problem === undefined),
    add: async (added) => {
      const read = await Promise.all([...added].slice(0, MOST).map(readFile));
      const chosen = read.map(([name, content]) => {
        lastId.current += 1;
        return { id: lastId.current, name, content };
      });
      setFiles((before) => [...before, ...chosen].slice(-MOST));
    },
    remove: (id) => setFiles((before) => before.filter((one) => one.id !== id)),
    clear: () => setFiles([]),
  };
}

async function readFile(file: File): Promise<[name: string, content: ReadFile]> {
  if (file.size > MAX_BYTES) return [file.name, { parts: [], problem: 'too_large' }];
  try {
    return [file.name, readCertificateFile(new Uint8Array(await file.arrayBuffer()))];
  } catch {
    // A folder, or a file that was removed meanwhile.
    return [file.name, { parts: [], problem: 'unknown' }];
  }
}

interface ChooseFilesProps {
  label: string;
  hint: string;
  chosen: ChosenFiles;
  disabled: boolean;
}

/** Where files are chosen, and the list of them. */
export function ChooseFiles({ label, hint, chosen, disabled }: ChooseFilesProps) {
  return (
    <>
      <FileDrop
        label={label}
        hint={hint}
        accept={ACCEPT}
        disabled={disabled}
        onFile={(file) => void chosen.add([file])}
        onDropped={({ files }) => void chosen.add(files)}
      />
      {chosen.files.length > 0 && (
        <Items label={t('certificates.chosen')}>
          {chosen.files.map(({ id, name, content }) => (
            <Item
              key={id}
              icon={content.parts.some(({ kind }) => kind === 'key') ? 'lock' : 'certificates'}
              title={name}
              text={content.problem ? t(`certificates.file_${content.problem}`) : partsText(content.parts)}
              badges={content.problem && <Badge level="bad" text={t('certificates.unusable')} />}
              actions={
                <IconButton
                  icon="close"
                  label={t('certificates.leave_out', { name })}
                  onClick={() => chosen.remove(id)}
                />
              }
            />
          ))}
        </Items>
      )}
    </>
  );
}

/** How many of each kind. */
function partsText(parts: readonly Part[]): string {
  const counts = new Map<PartKind, number>();
  for (const { kind } of parts) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => plural(`certificates.part_${kind}`, count)).join(', ');
}
