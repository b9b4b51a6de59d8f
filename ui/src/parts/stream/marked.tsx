import { piecesOf } from './search.ts';

/** A text in which what was searched is marked. */
export function Marked({ text, pattern }: { text: string; pattern: RegExp | undefined }) {
  if (!pattern) return <>{text}</>;
  const pieces = piecesOf(text, pattern);
  return (
    <>
      {pieces.map(({ at, text: piece, isMatch }) =>
        isMatch ? <mark key={at}>{piece}</mark> : <span key={at}>{piece}</span>,
      )}
    </>
  );
}
