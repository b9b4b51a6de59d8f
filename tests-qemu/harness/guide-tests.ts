import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import { buildClient } from '../../ci/build-client.ts';
import { installPythonTests } from '../../ci/clients/package/python-tests.ts';
import { ROOT } from '../../ci/lib/places.ts';
import { runTool } from '../../ci/lib/tool.ts';
import { field } from '../../testing/field.ts';
import type { ContextWithoutDevice } from './suite.ts';

const GUIDE = join(ROOT, 'docs/guides/ci.md');
const RUN_MS = 5 * 60_000;

/** The code of the language in a document, of its first block. */
function blockOf(markdown: string, language: string): string {
  const code = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(markdown)?.[1];
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
