import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startVirt } from '../../client/testing.ts';
import { waitFor } from '../../testing/wait.ts';
import { codeBlocks } from '../lib/code-blocks.ts';
import { cacheFolder, ROOT } from '../lib/places.ts';
import { freePort } from '../qemu/ports.ts';

const GUIDE = join(ROOT, 'docs/guides/frameworks.md');

/**
 * Follows docs/guides/frameworks.md: makes a project with Vite, and pushes it to a device in a container in one command.
 * @param tools folder with the programs of the packages in `ci/clients/node`
 * @param run runs a program, and throws when it fails
 */
export async function frameworkProject(
  tools: string,
  run: (program: string, args: string[]) => Promise<void>,
): Promise<void> {
  const folder = join(cacheFolder(), 'clients', 'framework');
  const shop = join(folder, 'shop');
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'bin'), { recursive: true });
  const command = `#!/bin/sh\nexec ${process.execPath} ${join(ROOT, 'client/cli/main.ts')} "$@"\n`;
  await writeFile(join(folder, 'bin/vitrine'), command, { mode: 0o755 });
  const blocks = codeBlocks(await readFile(GUIDE, 'utf8'));
  const create = blocks.find(({ note }) => note === 'create')?.code ?? '';
  // The pinned version, and without the network: the packages are installed already.
  const options = /^npm create vite@latest (shop -- --template \S+)$/m.exec(create)?.[1]?.replace(' --', '');
  assert.ok(options, 'the guide creates a project');
  await run('env', ['-C', folder, join(tools, 'create-vite'), ...options.split(' '), '--no-interactive']);
  await symlink(join(tools, '..'), join(shop, 'node_modules'));
  const manifest = join(shop, 'package.json');
  const project = JSON.parse(await readFile(manifest, 'utf8'));
  const scripts = JSON.parse(blocks.find(({ note }) => note === 'scripts')?.code ?? '');
  await writeFile(manifest, JSON.stringify({ ...project, scripts: { ...project.scripts, ...scripts } }));

  await using virt = await startVirt({ project: ROOT });
  const path = `PATH=${join(folder, 'bin')}:${tools}:${process.env.PATH}`;
  const host = `VITRINE_HOST=${new URL(virt.ready.api).origin}`;
  const commands = (wanted: string): string => {
    const found = blocks.find(({ language, note }) => language === 'sh' && note === wanted);
    assert.ok(found, `the guide has commands for "${wanted}"`);
    return found.code;
  };
  const isShown = async (): Promise<void> => {
    const { result } = await virt.device.post('/display/execute-js', {
      json: { script: "return document.querySelector('#app').textContent.includes('Vite')" },
    });
    assert.equal(result, true, 'the script of the project has run');
  };
  await run('env', ['-C', shop, path, host, 'sh', '-euc', commands('')]);
  assert.equal((await virt.device.get('/display')).bundle, 'shop');
  await isShown();

  const port = await freePort(0);
  const develop = commands('develop')
    .replace('10.55.77.2', virt.ready.host_address)
    .replaceAll('5173', String(port));
  const serve = commands('serve').replace('npx', 'exec').replace('5173', String(port));
  const server = spawn('env', ['-C', shop, path, 'sh', '-c', serve], { stdio: 'ignore' });
  try {
    await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))?.ok, {
      timeoutMs: 60_000,
      what: 'the development server',
    });
    await run('env', ['-C', shop, path, host, 'sh', '-euc', develop]);
    await isShown();
  } finally {
    server.kill();
  }
}
