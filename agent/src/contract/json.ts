import { errorMessage } from '../base/system-error.ts';
import { ApiError } from './errors.ts';

/**
 * Levels of objects and lists in a value that any link takes or passes on: bodies, payloads of frames, messages of
 * pages, results of scripts. Parsers and writers of clients, and JSON.stringify, overflow their stack at some depth.
 */
export const MAX_JSON_LEVELS = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

/**
 * Whether JSON is nested too deeply. Looks at the text, so that it costs no stack and nothing for short texts.
 * @param json need not be valid
 * @param around levels of the frame around the value, if `json` is the frame
 */
export function isTooDeep(json: string, around = 0): boolean {
  const limit = MAX_JSON_LEVELS + around;
  // Every level has two brackets.
  if (json.length <= 2 * limit) return false;
  let level = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) at = endOfText(json, at + 1);
    else if (OPENING.includes(character)) {
      level += 1;
      if (level > limit) return true;
    } else if (CLOSING.includes(character)) level -= 1;
  }
  return false;
}

/** Where the quote is that ends the text. */
function endOfText(json: string, start: number): number {
  for (let at = start; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) return at;
    if (character === BACKSLASH) at += 1;
  }
  return json.length;
}

/**
 * Why a text is not JSON that a body or a frame may have, with the place. For a text that could not be parsed.
 * @param what `The body`, `The line`
 */
export function notJson(what: string, text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return `${what} is not JSON: ${errorMessage(error)}.`;
  }
  return `${what} has a field that no object may have: __proto__, or prototype in constructor.`;
}

/** The error for JSON that is nested too deeply. @param what `The body`, `The frame` */
export function tooDeep(what: string): ApiError {
  return new ApiError('bad_request', `${what} is nested deeper than ${MAX_JSON_LEVELS} levels.`);
}
