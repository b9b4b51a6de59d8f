/**
 * Stryker plugin: leaves the texts of log records and errors unchanged. All other strings, such as states, event names
 * and error codes, are changed.
 */
const LOG_METHODS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

/** Whether `node` is a call that logs or the constructor of an error. */
function takesText(node) {
  if (node.type === 'NewExpression') return node.callee.name?.endsWith('Error') ?? false;
  if (node.type !== 'CallExpression' && node.type !== 'OptionalCallExpression') return false;
  const { callee } = node;
  return (
    LOG_METHODS.includes(callee.property?.name) &&
    /log/i.test(callee.object?.name ?? nameOfProperty(callee.object))
  );
}

function nameOfProperty(node) {
  return node?.property?.name ?? node?.property?.id?.name ?? '';
}

const ignorer = {
  shouldIgnore({ node, parent }) {
    const isText =
      node.type === 'TemplateLiteral' || (node.type === 'StringLiteral' && /\s/.test(node.value));
    return isText && parent && takesText(parent) ? 'text of a log record or an error' : undefined;
  },
};

export const strykerPlugins = [{ kind: 'Ignore', name: 'texts', value: ignorer }];
