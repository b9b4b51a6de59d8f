/** `npm run lint`: Biome over TypeScript and JSON, shellcheck over every shell script, clang-format over all C code. */
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './lib/places.ts';
import { command } from './lib/problem.ts';
import { close, FAILED, PASSED, sum, type Tally } from './lib/tally.ts';
import { projectFiles, runTool } from './lib/tool.ts';
import { setupHost } from './setup.ts';

const TIMEOUT_MS = 5 * 60_000;

/** Whether a file's first line is the `#!` of a shell. */
export function isShellScript(head: string): boolean {
  return /^#! ?\/(?:usr\/)?bin\/(?:env )?(?:ba|da)?sh\b/.test(head);
}

async function headOf(path: string): Promise<string> {
  const info = await stat(path).catch(() => undefined);
  if (!info?.isFile()) return '';
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return buffer.subarray(0, bytesRead).toString('latin1');
  } finally {
    await file.close();
  }
}

async function shellScripts(): Promise<string[]> {
  const found: string[] = [];
  for (const path of await projectFiles()) {
    if (path.endsWith('.patch')) continue;
    if (isShellScript(await headOf(join(ROOT, path)))) found.push(path);
  }
  return found;
}

async function check(name: string, program: string, args: string[], print: (text: string) => void) {
  const { ok, output } = await runTool(program, args, TIMEOUT_MS);
  print(ok ? `ok      ${name}\n` : `FAILED  ${name}\n${output}\n`);
  return ok ? PASSED : FAILED;
}

/** Runs the linters. Each counts as one test. */
export async function lint(print: (text: string) => void): Promise<Tally> {
  const scripts = await shellScripts();
  const sources = await projectFiles('*.c', '*.h');
  return sum([
    await check('biome', 'biome', ['check', '--error-on-warnings', '.'], print),
    await check(
      `shellcheck (${scripts.length} scripts)`,
      'shellcheck',
      ['--external-sources', '--severity=warning', '--', ...scripts],
      print,
    ),
    await check(
      `clang-format (${sources.length} files)`,
      'clang-format',
      ['--dry-run', '--Werror', ...sources],
      print,
    ),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    await setupHost('test');
    return close(await lint((text) => process.stdout.write(text)));
  });
}
