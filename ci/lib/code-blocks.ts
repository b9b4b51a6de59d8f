/** A block of code in a document. */
export interface CodeBlock {
  language: string;
  /** What follows the language: the file that the block is, or what is special about its commands. */
  note: string;
  code: string;
}

/** The fenced blocks of a document in Markdown. */
export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', note = '', code = '']) => ({ language, note, code }),
  );
}
