import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { t } from '../app/texts.ts';
import { Button } from './button.tsx';
import { Row } from './field.tsx';
import { Icon } from './icon.tsx';

interface FileDropProps {
  /** What to drop. */
  label: string;
  hint?: string;
  /** As the attribute of file inputs: `.zip,application/zip`. */
  accept?: string;
  disabled?: boolean;
  onFile: (file: File) => void;
  /** Takes everything that is dropped, also folders, in place of `onFile`. */
  onDropped?: (transfer: DataTransfer) => void;
  /** Controls beside the button. */
  actions?: ComponentChildren;
}

/** An area onto which a file is dragged, with a button that does the same. */
export function FileDrop({
  label,
  hint,
  accept,
  disabled = false,
  onFile,
  onDropped,
  actions,
}: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same
    <div
      class={isOver && !disabled ? 'drop drop-over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (disabled || !event.dataTransfer) return;
        const file = event.dataTransfer.files[0];
        if (onDropped) onDropped(event.dataTransfer);
        else if (file) onFile(file);
      }}
    >
      <Icon name="upload" />
      <p>{label}</p>
      {hint && <p class="soft small">{hint}</p>}
      <Row>
        <Button disabled={disabled} onClick={() => input.current?.click()}>
          {t('app.choose_file')}
        </Button>
        {actions}
      </Row>
      <input
        ref={input}
        class="hidden-text"
        type="file"
        accept={accept}
        tabIndex={-1}
        aria-label={label}
        disabled={disabled}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          // The same file can be chosen again.
          if (file) onFile(file);
          currentTarget.value = '';
        }}
      />
    </div>
  );
}
