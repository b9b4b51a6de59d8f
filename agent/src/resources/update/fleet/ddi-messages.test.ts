/** Whatever a server answers: it is understood or refused, and what is taken over of it has bounds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../../testing/long-runs.ts';
import { chooseLink } from './artifact.ts';
import { InvalidAnswer, readCancel, readDeployment, readPoll } from './ddi-messages.ts';

const LINK = 'https://updates.example/DEFAULT/controller/v1/device-1';
const HASHES = { sha1: 'a'.repeat(40), md5: 'b'.repeat(32), sha256: 'c'.repeat(64) };
const FILE = { filename: 'v.raucb', hashes: HASHES, size: 13 };

const HOSTILE = ['..', 'a/b', '', -1, 1e300, `${LINK}/deploymentBase/..`, `${LINK}/cancelAction/a%2Fb`];

const poll = () => ({
  config: { polling: { sleep: '00:05:00' } },
  _links: {
    deploymentBase: { href: `${LINK}/deploymentBase/8?c=-2127183556` },
    configData: { href: `${LINK}/configData` },
  },
});
const deployment = (artifacts: object[], changes: object = {}) => ({
  id: '8',
  deployment: {
    download: 'forced',
    update: 'forced',
    chunks: [{ part: 'os', version: '1.1.0', name: 'Vitrine', artifacts }],
    ...changes,
  },
  actionHistory: { status: 'RUNNING', messages: [] },
});
const file = (links: object) => ({ ...FILE, _links: links });
const https = { href: `${LINK}/v.raucb` };
const http = { href: `${LINK.replace('https', 'http')}/v.raucb` };

test('reads the answers of hawkBit and of gooseBit', () => {
  const expected = { sleepMs: 300_000, offer: '8', cancel: undefined, wantsAttributes: true };
  assert.deepEqual(readPoll(poll()), expected);
  const cancel = { _links: { cancelAction: { href: `${LINK}/cancelAction/8` } } };
  assert.deepEqual(readPoll(cancel), {
    sleepMs: undefined,
    offer: undefined,
    cancel: '8',
    wantsAttributes: false,
  });
  assert.equal(readCancel({ id: '8', cancelAction: { stopId: '8' } }), '8');

  const allowed = { id: '8', version: '1.1.0', mayDownload: true, mayReboot: true };
  const hawkbit = deployment([file({ download: https, 'download-http': http })]);
  const both = { secure: https.href, plain: http.href };
  assert.deepEqual(readDeployment(hawkbit, '8'), { ...allowed, artifact: { size: 13, links: both } });
  // gooseBit knows sha1 only, and one link.
  const goosebit = deployment([{ ...file({ download: http }), hashes: { sha1: HASHES.sha1 } }]);
  assert.deepEqual(readDeployment(goosebit, '8').artifact, { size: 13, links: { secure: http.href } });

  const closed = deployment([file({ download: https })], { maintenanceWindow: 'unavailable' });
  assert.equal(readDeployment(closed, '8').mayReboot, false);
  const later = readDeployment(deployment([file({})], { download: 'skip', update: 'skip' }), '8');
  assert.deepEqual([later.mayDownload, later.mayReboot], [false, false]);
  const two = readDeployment(deployment([file({}), file({})]), '8');
  assert.match(String(two.artifact), /must be one bundle/);
  assert.throws(() => readDeployment(hawkbit, '9'), InvalidAnswer);
});

test('chooses a link that keeps what the configured address promises', () => {
  const choose = (links: { secure?: string; plain?: string }, server: string) => {
    const link = chooseLink({ size: 1, links }, new URL(server));
    return typeof link === 'string' ? link : link.href;
  };
  const both = { secure: https.href, plain: http.href };
  assert.equal(choose(both, 'https://updates.example'), https.href);
  assert.equal(choose(both, 'http://updates.example'), http.href, 'the server itself before another origin');
  // Behind a proxy hawkBit names its HTTPS address as download-http.
  assert.equal(choose({ plain: https.href }, 'https://updates.example'), https.href);
  assert.match(choose({ plain: http.href }, 'https://updates.example'), /by http: only/);
  assert.match(choose({ secure: http.href }, 'https://updates.example'), /by http: only/);
});

test('refuses other answers without taking anything over', () => {
  const values: unknown[] = [
    poll(),
    deployment([file({ download: https, 'download-http': http })]),
    { id: '8', cancelAction: { stopId: '8' } },
  ];
  const property = fc.property(
    fc.constantFrom(...values),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.oneof(fc.jsonValue(), fc.string({ maxLength: 2000, size: 'max' }), fc.constantFrom(...HOSTILE)),
      ),
      { maxLength: 3 },
    ),
    (value, changes) => {
      let answer = structuredClone(value);
      for (const [at, by] of changes) answer = changed(answer, at, by);
      for (const read of [readPoll, readCancel, (each: unknown) => readDeployment(each, '8')]) {
        try {
          check(read(answer));
        } catch (error) {
          assert.ok(error instanceof InvalidAnswer, String(error));
          assert.ok(error.message.length < 400);
        }
      }
    },
  );
  fc.assert(property, { numRuns: repetitions(3000, 100_000) });
});

/** Ids are put into paths; nothing is longer than what is stored. */
function check(read: unknown): void {
  const fields = typeof read === 'string' ? { id: read } : read;
  assert.ok(typeof fields === 'object' && fields);
  for (const [name, value] of Object.entries(fields)) {
    if (['id', 'offer', 'cancel'].includes(name) && value !== undefined) assert.match(value, /^[\w-]{1,64}$/);
    if (name === 'version') assert.ok(value.length <= 256);
    if (name === 'sleepMs' && value !== undefined) assert.ok(value >= 0 && value < 4e10);
  }
}

/** Replaces the part at an index, counted depth-first. */
function changed(value: unknown, at: number, by: unknown): unknown {
  let left = at % 24;
  const visit = (each: unknown): unknown => {
    left -= 1;
    if (left < 0 && left >= -1) return by;
    if (Array.isArray(each)) return each.map(visit);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, part]) => [key, visit(part)]));
  };
  return visit(value);
}
