import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildClient } from './build-client.ts';
import { codeBlocks } from './lib/code-blocks.ts';
import { ROOT } from './lib/places.ts';
import { runTool } from './lib/tool.ts';

/** For a browser, compressed, in bytes. */
const MOST_BYTES = 20_000;
const PROGRAM = `
import { connect, push, RequestError, WaitError } from '@vitrine/client';
import { startVirt } from '@vitrine/client/testing';
import { connectSerial } from '@vitrine/client/web';
const device = await connect('http://127.0.0.1:1');
await using virt = await startVirt({ project: '/nothing' });
const same: typeof device = virt.device;
const mode: 'url' | 'bundle' | 'waiting' = (await device.show({ url: 'http://a.example' })).mode;
// @ts-expect-error there is no such path
await device.get('/nothing');
for await (const event of device.events(['display_state', 'health'])) {
  if (event.topic === 'health') console.log(event.payload.memory.total_bytes, mode);
  else console.log(event.payload.loading, push, same, connectSerial, RequestError, WaitError);
}
`;

test('the package has types that fit the examples of the documents, a command, and a small part for browsers that needs nothing', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-package-'));
  t.after(() => rm(folder, { recursive: true }));
  const dist = join(folder, 'node_modules/@vitrine/client');
  const bytes = await buildClient(dist);
  assert.ok(bytes < MOST_BYTES, String(bytes));
  const web = await readFile(join(dist, 'web.js'), 'utf8');
  assert.doesNotMatch(web, /\b(?:from\s*|import\s*)["']/, 'the part for browsers imports something');

  // As in a project that has installed it.
  await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
  await cp(join(ROOT, 'node_modules/typebox'), join(folder, 'node_modules/typebox'), { recursive: true });
  for (const name of ['node', 'undici-types']) {
    const from = name === 'node' ? '@types/node' : name;
    await symlink(join(ROOT, 'node_modules', from), join(folder, 'node_modules', from));
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'program.ts'), PROGRAM);
  const examples = ['client/README.md', ...globSync('docs/guides/*.md', { cwd: ROOT })].flatMap((document) =>
    codeBlocks(readFileSync(join(ROOT, document), 'utf8')).filter(({ language }) => language === 'ts'),
  );
  assert.ok(examples.length >= 5, 'there are examples');
  const files = ['program.ts', ...examples.map((_, index) => `example-${index}.ts`)];
  for (const [index, { code }] of examples.entries())
    await writeFile(join(folder, `example-${index}.ts`), code);
  const options =
    '--ignoreConfig --strict --noEmit --module nodenext --target es2024 --types node --pretty false'.split(
      ' ',
    );
  const checked = await runTool('tsc', [...options, ...files.map((name) => join(folder, name))], 60_000);
  assert.ok(checked.ok, checked.output);

  const [library, kit] = await Promise.all(
    ['index.js', 'testing.js'].map((name) => import(join(dist, name))),
  );
  await assert.rejects(kit.startVirt({ project: folder }), /is no checkout of Vitrine/);
  await assert.rejects(library.connect('/dev/no-such-port'), /needs the package serialport/);

  const printed = execFileSync(process.execPath, [join(dist, 'vitrine.js'), '--version'], {
    encoding: 'utf8',
  });
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  assert.equal(printed, `${version}\n`);
});
