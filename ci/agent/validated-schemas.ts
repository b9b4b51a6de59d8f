/** Finds the schemas that the agent validates values against, so that the build can compile them. */
import { glob, readFile } from 'node:fs/promises';
import type { TSchema } from 'typebox';
import type { Mode } from '../../agent/src/contract/compile.ts';
import { endpoints } from '../../agent/src/resources/all.ts';

/** A schema with the modes in which it is used. */
export interface ValidatedSchema {
  schema: TSchema;
  modes: readonly Mode[];
}

/** The functions of contract/validate.ts that take a schema, with the modes of the validators that they use. */
const FUNCTIONS: Readonly<Record<string, readonly Mode[]>> = {
  fits: ['firstErrorOnly'],
  issues: ['firstErrorOnly', 'allErrors'],
  parse: ['firstErrorOnly', 'allErrors'],
  parseText: ['firstErrorOnly', 'allErrors'],
};
const SOURCES = new URL('../../agent/src/', import.meta.url);
const IMPORT = /^import (?:type )?\{([^}]*)\} from '([^']+)';$/gm;
const OF_ENDPOINTS = /^endpoint\.(params|query|body)$/;

/** One call of a function of {@link FUNCTIONS}. */
export interface Call {
  /** Line in the file, from 1. */
  line: number;
  called: string;
  /** The source text of the schema argument. */
  schema: string;
}

/** The calls in a source file. @throws Error for an import that the search cannot follow */
export function validateCalls(source: string): Call[] {
  const names = [...source.matchAll(IMPORT)]
    .filter(([, , from]) => from?.endsWith('contract/validate.ts'))
    .flatMap(([, imported = '']) => imported.split(',').map((name) => name.trim()));
  const renamed = names.find((name) => name.includes(' as ') && !name.startsWith('type '));
  if (renamed !== undefined) throw new Error(`import ${renamed}: import it by its own name`);
  const called = names.filter((name) => name in FUNCTIONS);
  if (called.length === 0) return [];
  const code = source.replaceAll(IMPORT, (text) => text.replaceAll(/[^\n]/g, ' '));
  return [...code.matchAll(new RegExp(`(?<![\\w.])(${called.join('|')})\\(\\s*([^,)]*)`, 'g'))].map(
    ([, name = '', schema = ''], index, all) => ({
      line: code.slice(0, all[index]?.index).split('\n').length,
      called: name,
      schema: schema.trim(),
    }),
  );
}

/**
 * Every schema that a source file of the agent passes to a function of contract/validate.ts. The argument has to be
 * the name of an exported constant, or a part of `endpoint`, which stands for the parts of all endpoints.
 * @throws Error that names the call whose schema is not one of them
 */
export async function validatedSchemas(sources = SOURCES): Promise<ValidatedSchema[]> {
  const found = new Map<TSchema, Set<Mode>>();
  for await (const path of glob('**/*.ts', { cwd: sources })) {
    if (/\.test\.ts$|\/tests\//.test(path)) continue;
    const file = new URL(path, sources);
    const source = await readFile(file, 'utf8');
    for (const { line, called, schema } of validateCalls(source)) {
      const schemas = await schemasOf(file, source, schema);
      if (schemas.length === 0) {
        throw new Error(
          `${path}:${line}: the build cannot find the schema of ${called}(${schema}…): pass an exported constant`,
        );
      }
      for (const each of schemas) {
        const modes = found.get(each) ?? new Set();
        found.set(each, modes);
        for (const mode of FUNCTIONS[called] ?? []) modes.add(mode);
      }
    }
  }
  return [...found].map(([schema, modes]) => ({ schema, modes: [...modes] }));
}

async function schemasOf(file: URL, source: string, argument: string): Promise<TSchema[]> {
  const [, part] = OF_ENDPOINTS.exec(argument) ?? [];
  if (part === 'params' || part === 'query' || part === 'body') {
    return endpoints.flatMap((endpoint) => endpoint[part] ?? []);
  }
  const imported = [...source.matchAll(IMPORT)].find(([, names = '']) =>
    names.split(',').some((name) => name.trim() === argument),
  );
  const module = imported ? new URL(imported[2] ?? '', file) : file;
  if (!imported && !new RegExp(`^export const ${argument}\\b`, 'm').test(source)) return [];
  const exported: Record<string, unknown> = await import(module.href);
  const value = exported[argument];
  return typeof value === 'object' && value !== null ? [value] : [];
}
