/** Finds settings by words, and shortens what the schema says about them. Pure. */
import type { Field } from './schema.ts';

/** From this length on a description is cut after a sentence, in characters. */
const SHORT = 140;

/** Whether every word occurs in the name, the description or the values of a field, or in the title of its group. */
export function matches(field: Field, groupTitle: string, query: string): boolean {
  const { name, label, description, options, entry } = field;
  const parts = entry.map((part) => `${part.name} ${part.text}`);
  const text = fold([name, label, groupTitle, description, ...options.map(String), ...parts].join(' '));
  return fold(query)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The first sentences of a description, and the rest. */
export function split(description: string): [lead: string, rest: string] {
  const sentences = description.split(/(?<=\.)\s+(?=[\p{Lu}`\d]|null\b)/u);
  let lead = sentences.shift() ?? '';
  while (sentences[0] !== undefined && lead.length + sentences[0].length < SHORT) {
    lead = `${lead} ${sentences.shift()}`;
  }
  return [lead, sentences.join(' ')];
}

/** Without case and accents. */
function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
