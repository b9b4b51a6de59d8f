interface ProgressProps {
  /** What goes on. */
  label: string;
  /** 0 to 1; undefined if it is not known how much is left. */
  done: number | undefined;
  /** How far it is, in words. */
  text?: string;
}

/** How far something is. */
export function Progress({ label, done, text }: ProgressProps) {
  return (
    <div class="progress">
      <div class="progress-head">
        <span>{label}</span>
        {text && <span class="soft">{text}</span>}
      </div>
      <progress aria-label={label} value={done} max={1} />
    </div>
  );
}
