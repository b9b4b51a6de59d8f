/**
 * Checks an AsyncAPI document as `asyncapi validate` does, which uses this parser and its rules.
 * `node validate-asyncapi.ts FILE`; run by `npm run check:clients`.
 */
import { readFile } from 'node:fs/promises';
import { Parser } from '@asyncapi/parser';

const [file = ''] = process.argv.slice(2);
const parser = new Parser({
  ruleset: {
    rules: {
      // AsyncAPI 3.0 is what generators know; 3.1 adds nothing that is needed here.
      'asyncapi-latest-version': 'off',
    },
  },
});
const { document, diagnostics } = await parser.parse(await readFile(file, 'utf8'), { source: file });
for (const { code, path, message } of diagnostics) console.error(`${code} at ${path.join('/')}: ${message}`);
if (!document || diagnostics.length > 0) process.exitCode = 1;
