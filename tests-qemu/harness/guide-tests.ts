import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { buildClient } from '../../ci/build-client.ts';
import { installPythonTests } from '../../ci/clients/package/python-tests.ts';
import { codeBlocks } from '../../ci/lib/code-blocks.ts';
import { ROOT } from '../../ci/lib/places.ts';
import { runTool } from '../../ci/lib/tool.ts';
import { field } from '../../testing/field.ts';
import type { Device } from './device.ts';
import type { PageServer } from './pages.ts';
import type { ContextWithoutDevice } from './suite.ts';

const GUIDE = join(ROOT, 'docs/guides/ci.md');
const FIRST_HOUR = join(ROOT, 'docs/guides/first-hour.md');
const PAGES = join(ROOT, 'docs/pages.md');
const RUN_MS = 5 * 60_000;

/** The code of the language in a document, of its first block. */
function blockOf(markdown: string, language: string): string {
  const code = codeBlocks(markdown).find((block) => block.language === language)?.code;
  assert.ok(code, `the document has no block of ${language}`);
  return code;
}

/** Runs the examples of docs/guides/ci.md as another project does, each with a virtual device of its own. */
export async function testCiGuide({ test, skip }: ContextWithoutDevice): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-guide-'));
  const guide = await readFile(GUIDE, 'utf8');
  const run = async (...command: string[]): Promise<string> => {
    const { ok, output } = await runTool(
      'env',
      ['-C', folder, `VITRINE_PROJECT=${ROOT}`, ...command],
      RUN_MS,
    );
    assert.ok(ok, output);
    return output;
  };
  try {
    await test('the guide’s TypeScript example starts a device, and its test passes', async () => {
      const modules = join(folder, 'node_modules');
      await buildClient(join(modules, '@vitrine/client'), false);
      await writeFile(join(folder, 'page.test.ts'), blockOf(guide, 'ts'));
      assert.match(await run(process.execPath, '--test', 'page.test.ts'), /^ℹ pass 1$/m);
    });
    const installed = await installPythonTests();
    if ('unavailable' in installed) skip('the guide’s Python example', installed.unavailable);
    else {
      await test('the guide’s Python example starts a device, and its test passes', async () => {
        await mkdir(join(folder, 'tests'));
        await writeFile(join(folder, 'tests/test_page.py'), blockOf(guide, 'python'));
        const path = [join(ROOT, 'clients/python/src'), process.env.PYTHONPATH].filter(Boolean);
        const environment = [`PYTHONPATH=${path.join(delimiter)}`, 'PYTHONDONTWRITEBYTECODE=1'];
        const pytest = [installed.python, '-m', 'pytest', '-q', '-p', 'vitrine.pytest_plugin', 'tests'];
        assert.match(await run(...environment, ...pytest), /\b1 passed\b/);
      });
    }
    await test('the guide’s workflow is YAML with steps, and runs commands that exist', async () => {
      const workflow: unknown = parse(blockOf(guide, 'yaml'));
      const steps = field(workflow, 'jobs.test.steps');
      assert.ok(Array.isArray(steps));
      const commands = steps.map((step) => field(step, 'run')).filter((command) => command !== undefined);
      const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
      assert.ok(commands.includes('npm --prefix vitrine run build') && 'build' in scripts);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Does what docs/guides/first-hour.md says, in a folder of its own: writes the files, runs commands and programs.
 * @param device without the internet, so that a page of the tests takes the place of the one there
 * @param tty its serial link
 * @returns what the programs have printed, by name
 */
export async function followFirstHour(
  device: Device,
  tty: string,
  python: string,
  pages: PageServer,
): Promise<Map<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-guide-'));
  const printed = new Map<string, string>();
  const url = pages.add('<title>a page</title>');
  try {
    const modules = join(folder, 'node_modules');
    await buildClient(join(modules, '@vitrine/client'), false);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const command = `#!/bin/sh\nexec ${process.execPath} ${modules}/@vitrine/client/vitrine.js "$@"\n`;
    await writeFile(join(folder, 'vitrine'), command);
    await chmod(join(folder, 'vitrine'), 0o755);
    const environment = [
      ...['-C', folder, `PATH=${folder}:${process.env.PATH}`, `VITRINE_HOST=${device.origin}`],
      ...[`PYTHONPATH=${join(ROOT, 'clients/python/src')}`, 'PYTHONDONTWRITEBYTECODE=1'],
    ];
    const run = async (name: string, ...program: string[]): Promise<void> => {
      const { ok, output } = await runTool('env', [...environment, ...program], RUN_MS);
      assert.ok(ok, `${name}: ${output}`);
      printed.set(name, output);
    };
    for (const { language, note, code } of codeBlocks(await readFile(FIRST_HOUR, 'utf8'))) {
      if (language === 'sh') {
        if (note !== 'connect') await run(code, 'sh', '-euc', code.replaceAll('https://example.com/', url));
        continue;
      }
      await mkdir(dirname(join(folder, note)), { recursive: true });
      await writeFile(join(folder, note), code);
      if (language === 'ts') await run(note, process.execPath, note);
      if (language === 'python') await run(note, python, note, tty);
    }
    return printed;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The page that docs/pages.md begins with. */
export async function pageOfTheDocuments(): Promise<string> {
  return blockOf(await readFile(PAGES, 'utf8'), 'html');
}
