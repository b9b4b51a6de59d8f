// Runs in the page's own world before any script of the page. `evaluate` turns its results into text with the function
// defined here, which a page cannot replace: it is neither writable nor configurable, and uses what it captured while
// the built-in objects were still untouched. A page may call it, which gives it nothing that it does not have.
(() => {
  const { stringify } = JSON;
  const { apply, defineProperty } = Reflect;
  const { slice } = String.prototype;
  const toText = String;
  const MAX_RESULT = 4 * 1024 * 1024;
  const MAX_TEXT = 16 * 1024;
  const SCRIPT = 'vitrine:script';

  // A shortened text of anything, including objects that refuse to become a text.
  const shortText = (thing) => {
    try {
      return apply(slice, toText(thing), [0, MAX_TEXT]);
    } catch {
      return 'an exception without a text';
    }
  };

  // `line` and `column` are the script's own; an exception from the page's code has null there.
  const describe = (error, columnOffset) => {
    let line = null;
    let column = null;
    try {
      if (error.sourceURL === SCRIPT && typeof error.line === 'number') {
        line = error.line;
        column = line === 1 ? error.column - columnOffset : error.column;
      }
    } catch {
      // null and undefined can be thrown too, and getters can throw.
    }
    return stringify({ __proto__: null, message: shortText(error), line, column });
  };

  // The first letter tells what follows: v the value as JSON, e the exception as JSON, l nothing (too large).
  const report = (isValue, thing, columnOffset) => {
    if (!isValue) return `e${describe(thing, columnOffset)}`;
    const text = stringify(thing);
    if (text === undefined) return 'vnull';
    return text.length > MAX_RESULT ? 'l' : `v${text}`;
  };
  defineProperty(window, '__vitrineReport', { __proto__: null, value: report });
})();
