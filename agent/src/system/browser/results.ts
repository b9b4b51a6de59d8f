/** What the answers to `evaluate` hold. The page can shape all of it, so anything is a result or an exception. */
import { isTooDeep, MAX_JSON_LEVELS } from '../../contract/json.ts';
import type { ScriptException, ScriptResult } from '../../resources/page/ports.ts';
import { Exception, Value } from './messages.ts';

/** Longest result, as JSON (browser/PROTOCOL.md). */
const MAX_RESULT_CHARACTERS = 4 * 1024 * 1024;
/** Longest text of an exception, in characters (browser/src/result.js). */
const MAX_TEXT = 16 * 1024;
const NO_TEXT = 'an exception without a text';

/** @param answer to `evaluate`, of a browser that ran the script */
export function scriptResult(answer: unknown): ScriptResult {
  if (Value.fits(answer)) return resultOf(answer.value);
  if (Exception.fits(answer)) return { exception: exceptionOf(answer.exception) };
  return failed('The page replaced the result.');
}

function resultOf(json: string): ScriptResult {
  if (json.length > MAX_RESULT_CHARACTERS) return failed('The result has more than 4 MiB of JSON.');
  if (isTooDeep(json)) return failed(`The result is nested deeper than ${MAX_JSON_LEVELS} levels.`);
  try {
    return { value: JSON.parse(json) };
  } catch {
    return failed('The result is not JSON.');
  }
}

/** The members that are as they should be, with a text and null in place of the others. */
function exceptionOf(json: string): ScriptException {
  const { message, line, column }: { message?: unknown; line?: unknown; column?: unknown } = Object(
    parse(json),
  );
  return {
    message: typeof message === 'string' ? message.slice(0, MAX_TEXT).toWellFormed() : NO_TEXT,
    line: positionOf(line),
    column: positionOf(column),
  };
}

function positionOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function failed(message: string): ScriptResult {
  return { exception: { message, line: null, column: null } };
}
