/** Colours in code, where browsers can colour text without changing the document (CSS Custom Highlight API). */

const STRING = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/.source;
const KEYWORDS: Readonly<Record<string, string>> = {
  curl: 'curl|vitrine',
  TypeScript: 'import|from|const|await|for|of|as',
  Python: 'import|from|with|as|for|in',
};

export function highlightCode(): void {
  if (!('highlights' in CSS)) return;
  const strings = new Highlight();
  const words = new Highlight();
  const comments = new Highlight();
  for (const code of document.querySelectorAll<HTMLElement>('pre[data-code]')) {
    const keywords = KEYWORDS[code.dataset.code ?? ''] ?? 'true|false|null';
    const token = new RegExp(
      `(?<comment>^#.*)|(?<string>${STRING})|\\b(?<word>${keywords})\\b(?=[\\s,]|$)`,
      'gm',
    );
    const rangeOf = ranges(code);
    for (const { index, 0: text, groups } of code.textContent?.matchAll(token) ?? []) {
      const kind = groups?.string ? strings : groups?.word ? words : comments;
      kind.add(rangeOf(index, index + text.length));
    }
  }
  CSS.highlights.set('string', strings);
  CSS.highlights.set('word', words);
  CSS.highlights.set('comment', comments);
}

/** Gives the range of characters of an element, whose text is in several nodes. */
function ranges(element: Element): (start: number, end: number) => Range {
  const nodes: { node: Node; end: number }[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let length = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    length += node.textContent?.length ?? 0;
    nodes.push({ node, end: length });
  }
  const place = (offset: number): [Node, number] => {
    const found = nodes.find(({ end }) => offset <= end);
    if (!found) throw new RangeError('behind the end of the text');
    return [found.node, offset - found.end + (found.node.textContent?.length ?? 0)];
  };
  return (start, end) => {
    const range = new Range();
    range.setStart(...place(start));
    range.setEnd(...place(end));
    return range;
  };
}
