import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { NOT_BUNDLED } from '../../build-agent.ts';
import { ROOT } from '../../lib/places.ts';

const Lock = Type.Object({
  packages: Type.Record(
    Type.String(),
    Type.Object({
      version: Type.Optional(Type.String()),
      license: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
      dev: Type.Optional(Type.Boolean()),
      hasInstallScript: Type.Optional(Type.Boolean()),
    }),
  ),
});

const NATIVE_MODULES = 'agent/native-modules';
const NODE_PTY = 'buildroot-external/package/vitrine-agent/node-pty';

async function lockedPackages(folder = '.') {
  const text = await readFile(join(ROOT, folder, 'package-lock.json'), 'utf8');
  return new Map(Object.entries(Value.Parse(Lock, JSON.parse(text)).packages));
}

/** The value that a recipe assigns to `name`, with continuation lines joined. */
async function settingOf(recipe: string, name: string): Promise<string> {
  const path = join(ROOT, 'buildroot-external/package', recipe, `${recipe}.mk`);
  const text = (await readFile(path, 'utf8')).replaceAll(/\s*\\\n\s*/g, ' ');
  return new RegExp(`^${name} = (.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
}

test('the agent’s recipe names the licenses of all npm packages that the bundle may contain', async () => {
  const stated = new Set((await settingOf('vitrine-agent', 'VITRINE_AGENT_LICENSE')).split(', '));
  const found = new Set<string>();
  const all = [...(await lockedPackages()), ...(await lockedPackages(NATIVE_MODULES))];
  for (const [path, { license, dev }] of all) {
    if (path === '' || dev) continue;
    // Two packages have only a license text, no license field: jsbi (Apache-2.0) and map-stream (MIT).
    const names = license === undefined ? [] : [license].flat();
    if (names.length === 0)
      assert.ok(['jsbi', 'map-stream'].includes(path.slice('node_modules/'.length)), path);
    for (const one of names) {
      found.add(one === 'Apache2' ? 'Apache-2.0' : one.replaceAll(/[()]/g, '').replace(' OR ', ' or '));
    }
  }
  assert.deepEqual([...found].sort(), [...stated].sort());
});

test('no package with an install script gets into the bundle', async () => {
  const compiled = [...(await lockedPackages())]
    .filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  assert.notDeepEqual(compiled, []);
  assert.deepEqual(
    compiled.filter((name) => !NOT_BUNDLED.includes(name)),
    [],
  );
});

test('Buildroot compiles the version of node-pty that the agent is bundled with', async () => {
  const bundled = (await lockedPackages()).get('node_modules/@lydell/node-pty')?.version;
  assert.ok(bundled);
  assert.equal((await lockedPackages(NODE_PTY)).get('node_modules/node-pty')?.version, bundled);
});

test('Buildroot compiles the version of Node that the project is tested with', async () => {
  const tested = (await lockedPackages()).get('node_modules/node')?.version;
  assert.ok(tested);
  assert.equal(await settingOf('vitrine-nodejs', 'VITRINE_NODEJS_VERSION'), tested);
});

test('every user of the units in overlay/ is created in Buildroot’s image', async () => {
  const overlay = join(ROOT, 'overlay');
  const read = async (pattern: string): Promise<string> => {
    const texts = globSync(pattern, { cwd: overlay }).map((path) => readFile(join(overlay, path), 'utf8'));
    return (await Promise.all(texts)).join('\n');
  };
  const units = await read('{etc,usr/lib}/systemd/system/*.service');
  const instances = globSync('usr/lib/systemd/system/vitrine-peripheral@*.service.d', { cwd: overlay }).map(
    (path) => /@(\w+)\./.exec(path)?.[1] ?? '',
  );
  const used = [...units.matchAll(/^User=(\S+)$/gm)].flatMap(([, user = '']) =>
    user.includes('%i') ? instances.map((instance) => user.replace('%i', instance)) : [user],
  );
  assert.ok(instances.length > 0);
  const recipe = join(ROOT, 'buildroot-external/package/vitrine-agent/vitrine-agent.mk');
  const table =
    /^define VITRINE_AGENT_USERS\n((?:\t.*\n)*)endef$/m.exec(await readFile(recipe, 'utf8'))?.[1] ?? '';
  const created = [
    ...[...(await read('usr/lib/sysusers.d/*.conf')).matchAll(/^u!? (\S+) /gm)].map(([, user]) => user),
    ...[...table.matchAll(/^\t(\S+) /gm)].map(([, user]) => user),
  ];
  assert.ok(used.length > 3);
  assert.deepEqual(
    used.filter((user) => !created.includes(user)),
    [],
  );
});
