import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../../testing/long-runs.ts';
import { buildZip, type EntrySpec } from './tests/build-zip.ts';
import { PAGE } from './tests/corpus-zip.ts';
import { contentOf, dataOf, fuzz, readSeeds } from './tests/fuzz-zip.ts';
import { memorySource } from './tests/memory-source.ts';
import { assertPythonAgrees } from './tests/python-zip.ts';
import { readContents } from './tests/read-contents.ts';
import { verifyBundle } from './verify.ts';
import { ZipError } from './zip-entry.ts';

const FUZZ_ROUNDS = repetitions(1000, 20_000);

/** Names that cannot collide in one archive by case, or as file and folder. */
const names = fc.uniqueArray(fc.stringMatching(/^[a-z0-9 %_äß日é-]{1,12}$/u), { maxLength: 12 });
const ways = fc.record(
  {
    method: fc.constantFrom(0, 8),
    descriptor: fc.constantFrom('bare', 'signed', 'bare64', 'signed64'),
    zip64: fc.constantFrom('local', 'central', 'both'),
    comment: fc.string({ maxLength: 20 }),
  },
  { requiredKeys: [] },
);
const trees = fc
  .tuple(names, fc.infiniteStream(fc.tuple(ways, fc.uint8Array({ maxLength: 2000 }), fc.boolean())))
  .map(([list, stream]) => {
    const specs = list.map((name, index): EntrySpec => {
      const [how, bytes, isDeep] = stream.next().value;
      const data = Buffer.concat([Buffer.from(bytes), Buffer.from(bytes)]);
      return { ...how, name: isDeep ? `folder ${index}/${name}` : name, data };
    });
    return [...specs, PAGE];
  });

test('any tree of entries is accepted and read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(trees, fc.boolean(), async (entries, isZip64) => {
      const source = memorySource(buildZip(entries, isZip64 ? { zip64: {} } : {}));
      const contents = await readContents(source, await verifyBundle(source));
      assert.deepEqual(
        [...contents].map(([name, data]) => [name, data.toString('latin1')]),
        entries.map(({ name, data }) => [String(name), Buffer.from(data ?? '').toString('latin1')]),
      );
    }),
    { numRuns: repetitions(60, 2000) },
  );
});

/** Entries that mostly have a wrong field in one header or in both. */
const oddEntries = fc.array(
  fc
    .tuple(
      fc.constantFrom('a', 'b', 'c/d', 'e/', 'ä', 'a/b', 'A', '../x', 'x\\y'),
      fc.constantFrom('', 'text text text'),
      ways,
      fc.record(
        {
          flags: fc.constantFrom(0, 1, 2, 6, 8, 0x20, 0x40, 0x800, 0x808, 0x2000),
          needs: fc.constantFrom(10, 45, 63, 64),
          attributes: fc.constantFrom(0, 0x10, 0x20, 0xa1ff0000, 0x81a40000),
          crc: fc.constantFrom(0, 0x12345678),
          bytes: fc.constantFrom(0, 14, 0xffff_ffff),
          extra: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes)),
        },
        { requiredKeys: [] },
      ),
      fc.constantFrom('both', 'local', 'central', 'none', 'none', 'none'),
    )
    .map(([name, data, how, fields, where]): EntrySpec => {
      const entry = { name, data, ...how };
      if (where === 'none') return entry;
      return where === 'both' ? { ...entry, ...fields } : { ...entry, [where]: fields };
    }),
  { maxLength: 4 },
);

test('Python reads the same content from accepted odd and changed archives', async () => {
  const archives: Buffer[] = [];
  const odd = fc.sample(oddEntries, { numRuns: repetitions(400, 4000), seed: 1 });
  for (const entries of odd) {
    const archive = buildZip([PAGE, ...entries]);
    if ((await contentOf(archive)) !== undefined) archives.push(archive);
  }
  const { accepted } = await fuzz(2, (rounds) => rounds >= FUZZ_ROUNDS);
  archives.push(...accepted);
  assert.ok(archives.length > 100, `${archives.length}`);
  await assertPythonAgrees(archives);
});

test('an archive with a changed byte is refused or has the same content', async () => {
  const seeds = readSeeds();
  const contents = await Promise.all(seeds.map(({ bytes }) => contentOf(bytes)));
  const which = fc.nat(seeds.length - 1);
  await fc.assert(
    fc.asyncProperty(
      which,
      fc.double({ min: 0, max: 0.9999, noNaN: true }),
      fc.integer({ min: 1, max: 255 }),
      async (seed, place, mask) => {
        const archive = Buffer.from(seeds[seed]?.bytes ?? '');
        const at = Math.floor(place * archive.length);
        archive[at] = (archive[at] ?? 0) ^ mask;
        const content = await contentOf(archive);
        assert.ok(content === undefined || content === contents[seed], `byte ${at} of ${seeds[seed]?.name}`);
      },
    ),
    { numRuns: repetitions(500, 30_000) },
  );
});

test('a name that is changed in both headers is valid, so the fuzzer ignores names', async () => {
  const { bytes } = readSeeds().find(({ name }) => name === 'python.zip') ?? assert.fail();
  const content = (await contentOf(bytes)) ?? assert.fail();
  const names: [string, string][] = JSON.parse(content);
  const name = names.map(([one]) => one).find((one) => one !== 'index.html' && !one.endsWith('/'));
  const old = name ?? assert.fail();
  const archive = Buffer.from(bytes.toString('latin1').replaceAll(old, `${old.slice(0, -1)}-`), 'latin1');
  const changed = (await contentOf(archive)) ?? assert.fail('refused');
  assert.notEqual(changed, content);
  assert.equal(dataOf(changed), dataOf(content));
});

test('a truncated archive is refused', async () => {
  for (const { name, bytes } of readSeeds()) {
    for (let length = 0; length < bytes.length; length++) {
      assert.equal(await contentOf(bytes.subarray(0, length)), undefined, `${name} up to ${length}`);
    }
  }
});

test('changed archives are refused with a reason or have the same data', async () => {
  const { findings } = await fuzz(1, (rounds) => rounds >= FUZZ_ROUNDS);
  assert.deepEqual(
    findings.map(({ what, archive }) => `${what}: ${archive.toString('base64')}`),
    [],
  );
});

test('valid seeds are accepted, and earlier findings of the fuzzer are handled', async () => {
  for (const { name, bytes } of readSeeds()) {
    const checked = verifyBundle(memorySource(bytes));
    if (name.startsWith('found-')) await checked.catch((error) => assert.ok(error instanceof ZipError));
    else await checked;
  }
});
