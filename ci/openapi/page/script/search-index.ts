import { textOf } from './dom.ts';

/** Something that can be found. */
export interface Entry {
  kind: string;
  /** As results show it. */
  label: string;
  /** What it is or where, behind the label. */
  detail: string;
  /** Other names, in lower case. */
  names: string[];
  /** Everything else that is searched, in lower case. */
  text: string;
  /** Where it is on the page. */
  element: HTMLElement;
}

/** The more, the earlier among equals. */
const WEIGHT: Readonly<Record<string, number>> = { operation: 8, event: 6, shape: 4, error: 4 };
const MAX_RESULTS = 40;

/** Reads everything that can be found from the page. */
export function readEntries(): Entry[] {
  return [...document.querySelectorAll<HTMLElement>('[data-kind]')].flatMap((element) => {
    const entry = entryOf(element);
    return [entry, ...fieldsOf(entry)];
  });
}

function entryOf(element: HTMLElement): Entry {
  const kind = element.dataset.kind ?? '';
  const [, id = ''] = /^(?:\w+-)?(.*)$/.exec(element.id) ?? [];
  const base = { kind, element, text: textOf(element, 'p:not(.route)').toLowerCase() };
  if (kind !== 'operation')
    return { ...base, label: id, detail: textOf(element, 'p:not(.type)'), names: [id.toLowerCase()] };
  const path = textOf(element, '.route code');
  const paragraphs = [...element.querySelectorAll('.about > p')].map((one) => one.textContent ?? '');
  return {
    ...base,
    label: `${textOf(element, '.method')} ${path}`,
    detail: textOf(element, 'h3'),
    names: [path, element.id, element.id.replaceAll(/[A-Z]/g, ' $&')].map((name) => name.toLowerCase()),
    text: paragraphs.join(' ').toLowerCase(),
  };
}

/** Parameters and fields. The fields of shapes that are shown elsewhere, too, count once. */
function fieldsOf({ element, kind, label }: Entry): Entry[] {
  if (kind === 'error') return [];
  return [...element.querySelectorAll<HTMLElement>('.fields > div')]
    .filter((row) => !row.closest('details'))
    .map((row) => {
      const name = textOf(row, 'dt code');
      return {
        kind: 'field',
        label: name,
        detail: `in ${label}`,
        names: [name.toLowerCase()],
        text: textOf(row, 'dd').toLowerCase(),
        element: row,
      };
    });
}

/** The entries that have all words of a query, the best first. Pure. */
export function find(entries: readonly Entry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const scored: [Entry, number][] = [];
  for (const entry of entries) {
    const scores = words.map((word) => scoreOf(entry, word));
    if (scores.every((score) => score > 0)) {
      scored.push([entry, scores.reduce((sum, one) => sum + one, WEIGHT[entry.kind] ?? 0)]);
    }
  }
  return scored
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_RESULTS)
    .map(([entry]) => entry);
}

/** How well a word fits; 0 if it does not. */
function scoreOf({ label, detail, names, text }: Entry, word: string): number {
  if (names.includes(word)) return 100;
  if (names.some((name) => name.startsWith(word))) return 60;
  if (names.some((name) => name.split(/[^a-z0-9]+/).some((part) => part.startsWith(word)))) return 40;
  if (names.some((name) => name.includes(word))) return 30;
  if (label.toLowerCase().includes(word)) return 20;
  const told = detail.toLowerCase();
  if (told.split(/[^a-z0-9]+/).includes(word)) return 18;
  if (told.includes(word)) return 12;
  return text.includes(word) ? 5 : 0;
}
