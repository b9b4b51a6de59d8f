import { delimiter, join } from 'node:path';
import { ROOT } from '../../lib/places.ts';
import { type InstalledPython, installPython } from '../../lib/python-packages.ts';
import { runTool } from '../../lib/tool.ts';

const TESTS_MS = 5 * 60_000;
const PACKAGE = join(ROOT, 'clients/python');

/** Installs what the tests of clients/python need: pytest, pyserial, and mypy for `npm run check:clients`. */
export async function installPythonTests(): Promise<InstalledPython> {
  return await installPython({
    folder: 'clients/tests',
    name: 'pytest',
    size: '20 MB',
    requirements: join(ROOT, 'ci/clients/package/requirements.txt'),
  });
}

/**
 * Runs the tests of clients/python from its sources.
 * @param device origin of its API, and its serial link: a tty or a unix socket
 */
export async function runPythonTests(
  python: string,
  device: { origin: string; serial: string },
): Promise<{ ok: boolean; output: string }> {
  const sources = [join(PACKAGE, 'src'), process.env.PYTHONPATH].filter(Boolean).join(delimiter);
  const environment = {
    PYTHONPATH: sources,
    PYTHONDONTWRITEBYTECODE: '1',
    VITRINE_HOST: device.origin,
    VITRINE_SERIAL: device.serial,
  };
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const pytest = [python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'vitrine.pytest_plugin'];
  return await runTool('env', [...settings, ...pytest, join(PACKAGE, 'tests')], TESTS_MS);
}
