import { createRequire } from 'node:module';
import { ApiError } from '../../contract/errors.ts';
import type { ScriptException } from '../page/ports.ts';
import { scriptError } from './schema.ts';

// Loaded with the first script.
const require = createRequire(import.meta.url);

const RETURN = 'return ';

/** A script as the body of an async function. */
export interface PreparedScript {
  body: string;
  /** An exception of the body with its position in the script. */
  locate(exception: ScriptException): ScriptException;
}

/**
 * Makes the value of a script's last statement the result, if that is an expression, as a console does. A script that
 * is an object literal is its value, not a block.
 * @throws ApiError `script_error` with the position for a script that is not JavaScript
 */
export function prepareScript(script: string): PreparedScript {
  const start = startOfResult(script);
  if (start === undefined) return { body: script, locate: (exception) => exception };
  const before = script.slice(0, start);
  const line = before.split('\n').length;
  const column = start - before.lastIndexOf('\n');
  return {
    body: before + RETURN + script.slice(start),
    locate: (exception) => {
      const isShifted =
        exception.line === line && exception.column !== null && exception.column > column + RETURN.length - 1;
      return isShifted ? { ...exception, column: Number(exception.column) - RETURN.length } : exception;
    },
  };
}

/** Where the last statement starts, if it is an expression. */
function startOfResult(script: string): number | undefined {
  const { parse, parseExpressionAt }: typeof import('acorn') = require('acorn');
  const options = {
    ecmaVersion: 'latest',
    allowAwaitOutsideFunction: true,
    allowReturnOutsideFunction: true,
    allowHashBang: false,
  } as const;
  const first = script.search(/\S/);
  if (script[first] === '{') {
    try {
      const { end } = parseExpressionAt(script, first, options);
      if (script.slice(end).trim() === '') return first;
    } catch {
      // It is a block.
    }
  }
  try {
    const last = parse(script, options).body.at(-1);
    return last?.type === 'ExpressionStatement' ? last.start : undefined;
  } catch (error) {
    throw syntaxError(error);
  }
}

function syntaxError(error: unknown): unknown {
  if (!(error instanceof SyntaxError) || !('loc' in error)) return error;
  const { line, column }: { line?: unknown; column?: unknown } = Object(error.loc);
  const message = `SyntaxError: ${error.message.replace(/ \(\d+:\d+\)$/, '')}`;
  return new ApiError(scriptError, message, { message, line, column: Number(column) + 1 });
}
