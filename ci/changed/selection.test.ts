import assert from 'node:assert/strict';
import { test } from 'node:test';
import { projectFiles } from '../lib/tool.ts';
import { ALL, AREAS } from './areas.ts';
import { graphOf } from './graph.ts';
import { changeSince } from './project.ts';
import { select } from './selection.ts';

/** A small project: the text of each source file. */
const SOURCES = {
  'agent/src/base/file.ts': "import { x } from 'node:fs';",
  'agent/src/base/file.test.ts': "import { write } from './file.ts';",
  'agent/src/resources/config/store.ts': "export { write } from '../../base/file.ts';",
  'agent/src/resources/config/store.test.ts': "const late = await import('./store.ts');",
  'agent/src/resources/config/other.test.ts': '// as ./store.ts does\n',
  'agent/src/resources/page/page.test.ts':
    "import '../../../../testing/png.ts'; await asset('ui/index.html');",
  'agent/src/boards/read.ts': "const boards = join(import.meta.dirname, '../../../board');",
  'agent/src/boards/read.test.ts': "import './read.ts';",
  'ci/image/render.test.ts': "const init = readFileSync(join(ROOT, 'board', 'common', name));",
  'ci/image/script.test.ts': `run(\`. "$1/board/common/render.sh"; \${rest}\`);`,
  'ci/image/overlay.test.ts': 'const text = read(`overlay/etc/$' + '{name}`);',
  'ci/docs.test.ts': "for (const path of await projectFiles('*.md')) check(path);",
  'ci/all.ts': "const first = ['agent/src/base/file.test.ts'];",
  'ci/all.test.ts': "import './all.ts';",
  'ci/types.test.ts': "import type {\n  Write,\n} from '../agent/src/base/file.ts';",
  'ci/zip.test.ts': "const names = ['board/..', 'a/../b', '../'];",
  'ci/lib/wait.ts': '',
  'testing/png.ts': '',
  'tests-qemu/harness/screen.ts': "import { wait } from '../../ci/lib/wait.ts';",
  'tests-qemu/scenarios/splash.ts': "import { png } from '../../testing/png.ts';",
  'tests-qemu/scenarios/page.ts': "const sources = join(ROOT, 'agent/src/resources/page');",
  'tests-qemu/scenarios/screen.ts': "import { look } from '../harness/screen.ts';",
  'tests-qemu/scenarios/power.ts': "import { look } from '../other.ts';",
};
const OTHERS = [
  'agent/ui/index.html',
  'board/common/render.sh',
  'board/rpi4/x.env',
  'overlay/etc/a',
  'docs/a.md',
];

/** Names of the selected unit tests and scenarios, and of the other selected stages. */
function selected(...changed: string[]): { unit: unknown; scenarios: unknown; stages: string[] } {
  const files = [...Object.keys(SOURCES), ...OTHERS];
  const graph = graphOf([...files, ...changed], new Map(Object.entries(SOURCES)));
  const { unit, scenarios, ...others } = select({ changed, files, graph });
  return {
    unit: unit.run === ALL ? ALL : unit.run.map((path) => path.replace(/^.*\/(.*)\.test\.ts$/, '$1')).sort(),
    scenarios: scenarios.run,
    stages: Object.entries(others).flatMap(([name, { run }]) => (run.length > 0 ? [name] : [])),
  };
}

test('a change selects the tests that import the file statically, dynamically or indirectly', () => {
  assert.deepEqual(selected('agent/src/base/file.ts').unit, ['docs', 'file', 'store']);
  assert.deepEqual(selected('agent/src/resources/config/store.ts').unit, ['docs', 'store']);
});

test('a deleted file selects the scenarios that still import it', () => {
  assert.deepEqual(selected('tests-qemu/other.ts').scenarios, ['power']);
});

test('a changed test selects only itself', () => {
  assert.deepEqual(selected('agent/src/base/file.test.ts').unit, ['docs', 'file']);
});

test('a path may be relative to the source or the project, and may be built from parts', () => {
  assert.deepEqual(selected('agent/ui/index.html').unit, ['docs', 'page']);
  assert.deepEqual(selected('board/common/render.sh').unit, ['docs', 'read', 'render', 'script']);
  assert.deepEqual(selected('board/rpi4/x.env').unit, ['docs', 'read']);
  assert.deepEqual(selected('overlay/etc/a').unit, ['docs', 'overlay']);
});

test('a new file in a folder that a test names selects that test', () => {
  assert.deepEqual(selected('board/common/new').unit, ['docs', 'read', 'render']);
});

test('scenarios are selected by their imports, and by the area of a file in the image', () => {
  assert.deepEqual(selected('ci/lib/wait.ts').scenarios, ['screen']);
  assert.deepEqual(selected('testing/png.ts').scenarios, ['splash']);
  assert.deepEqual(selected('native/splash/main.c').scenarios, ['boot', 'splash', 'update']);
  assert.equal(selected('overlay/etc/a').scenarios, ALL);
  assert.deepEqual(selected('docs/a.md').scenarios, []);
  assert.deepEqual(selected('ci/lib/wait.ts', 'native/splash/main.c').scenarios, [
    'boot',
    'screen',
    'splash',
    'update',
  ]);
  assert.equal(selected('native/splash/main.c', 'overlay/etc/a').scenarios, ALL);
});

test('generated files, boards and Buildroot are checked when their sources changed', () => {
  assert.deepEqual(selected('agent/src/base/file.ts').stages, ['generated']);
  assert.deepEqual(selected('board/rpi4/x.env').stages, ['boards', 'buildroot']);
  assert.deepEqual(selected('overlay/etc/a').stages, ['boards']);
  assert.deepEqual(selected('docs/a.md', 'ci/lib/wait.ts').stages, []);
});

test('an unknown file and one that all code depends on select everything', () => {
  for (const path of ['strange/new.file', 'package-lock.json']) {
    const all = { unit: ALL, scenarios: ALL, stages: ['generated', 'boards', 'buildroot'] };
    assert.deepEqual(selected('docs/a.md', path), all, path);
  }
});

test('the areas name only existing scenarios', async () => {
  const files = await projectFiles('tests-qemu/scenarios/*.ts');
  const named = new Set(AREAS.flatMap(({ scenarios }) => (scenarios === ALL ? [] : scenarios)));
  assert.deepEqual(
    [...named].filter((name) => !files.includes(`tests-qemu/scenarios/${name}.ts`)),
    [],
  );
});

test('in this project a change of the atomic write selects its tests and those of the stores', async () => {
  const project = await changeSince('HEAD');
  const { unit } = select({ ...project, changed: ['agent/src/base/atomic-file.ts'] });
  const all = await projectFiles('**/*.test.ts');
  assert.ok(unit.run !== ALL && unit.run.length < all.length / 3, `${unit.run.length} of ${all.length}`);
  for (const name of ['base/line-splitter', 'links/guard', 'system/screen/edid']) {
    assert.ok(!unit.run.includes(`agent/src/${name}.test.ts`), name);
  }
  for (const name of ['agent/src/base/atomic-file', 'ci/agent/kill', 'agent/src/resources/content/kill']) {
    assert.ok(unit.run.includes(`${name}.test.ts`), name);
  }
});

test('an invalid base revision is reported in a sentence', async () => {
  await assert.rejects(changeSince('no-such-revision'), /^Problem: "no-such-revision" is not a revision/);
});
