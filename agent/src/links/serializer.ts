import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Gives the JSON text of a value that fits the schema it was built from. */
type Serializer = (value: unknown) => string;

/**
 * Fastify's serializer compiler, put off until a route first answers: compiling sixty of them is most of
 * what the agent would do at start.
 */
export function lazySerializer({ schema }: { schema?: unknown }): Serializer {
  let serialize: Serializer | undefined;
  return (value) => {
    if (!serialize) {
      const build: (schema: unknown) => Serializer = require('fast-json-stringify');
      serialize = build(schema);
    }
    return serialize(value);
  };
}
