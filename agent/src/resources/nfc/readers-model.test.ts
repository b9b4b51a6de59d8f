/** Whatever happens to readers and tags, in whatever order: a handle names one stay of one tag, and is used once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import { ApiError } from '../../contract/errors.ts';
import { HandleIssuer } from './handles.ts';
import { type Change, Readers, type Use } from './readers.ts';

const READERS = ['a', 'b'];
const TECHS = ['iso-dep', 'ndef'] as const;
type Ending = 'release' | 'end' | 'endWith';
type Step =
  | { do: 'report'; present: boolean[]; listed: boolean[] }
  | { do: 'disconnect' | 'clear' }
  | { do: 'come'; reader: string; tag: number; techs: number }
  | { do: 'leave'; reader: string; tag: number }
  /** @param reader undefined: the right one @param choice of all handles that were ever issued, from the newest */
  | { do: 'use'; reader: string | undefined; choice: number; tech: number; forged: boolean }
  | { do: 'end'; choice: number; how: Ending };

const reader = fc.constantFrom(...READERS);
const mostly = fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false));
const rarely = mostly.map((value) => !value);
const tag = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('report' as const),
    present: fc.array(mostly, { minLength: 2, maxLength: 2 }),
    listed: fc.array(mostly, { minLength: 2, maxLength: 2 }),
  }),
  fc.record({ do: fc.constantFrom('disconnect' as const, 'clear' as const) }),
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('come' as const),
      reader,
      tag,
      techs: fc.constantFrom(0, 1, 2, 3, 3, 3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('leave' as const), reader, tag }) },
  {
    weight: 12,
    arbitrary: fc.record({
      ...{ do: fc.constant('use' as const), reader: fc.option(reader, { nil: undefined }) },
      ...{ choice: fc.constantFrom(0, 0, 0, 1, 1, 2, 3), tech: fc.nat({ max: 1 }), forged: rarely },
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      ...{ do: fc.constant('end' as const), choice: fc.nat({ max: 3 }) },
      how: fc.constantFrom<Ending>('release', 'end', 'endWith'),
    }),
  },
);

interface ModelStay {
  reader: string;
  tag: number;
  techs: number;
  handle: string;
  isUsed: boolean;
}

/** The rules as docs/nfc.md states them. */
class Model {
  readonly readers = new Readers(new HandleIssuer(Buffer.alloc(32)));
  /** Which readers are listed, and whether they are present. */
  readonly known = new Map<string, boolean>();
  stays: ModelStay[] = [];
  /** Every handle ever issued, with its reader. */
  readonly issued = new Map<string, string>();
  readonly uses: { use: Use; stay: ModelStay; handle: string }[] = [];
  readonly used = new Set<string>();
  /** How often each rule was tested. */
  readonly seen = new Map<string, number>();

  take(change: Step): void {
    switch (change.do) {
      case 'report':
        this.report(change);
        return;
      case 'disconnect':
        this.check(this.readers.disconnect(), this.drop(READERS));
        for (const name of this.known.keys()) this.known.set(name, false);
        return;
      case 'clear':
        this.readers.clear();
        this.known.clear();
        this.stays = [];
        return;
      case 'come':
        this.come(change);
        return;
      case 'leave': {
        const stay = this.stays.find((each) => each.reader === change.reader && each.tag === change.tag);
        const changes = this.readers.tagGone(change.reader, change.tag);
        this.check(changes, stay ? [`tag_removed ${stay.reader} ${stay.handle}`] : []);
        this.stays = this.stays.filter((each) => each !== stay);
        return;
      }
      case 'use':
        this.use(change);
        return;
      case 'end':
        this.end(change);
        return;
    }
  }

  report({ present, listed }: Extract<Step, { do: 'report' }>): void {
    const states = READERS.map((name, i) => ({
      name,
      present: present[i] ?? false,
      listed: listed[i] ?? false,
    }));
    const lost = states.filter((each) => !each.listed || !each.present).map(({ name }) => name);
    const appeared = states.filter(
      (each) => each.listed && each.present && this.known.get(each.name) !== true,
    );
    const changes = this.readers.replace(
      states
        .filter((each) => each.listed)
        .map(({ name, present: isPresent }) => ({
          ...{
            reader: name,
            backend: 'acr122u',
            present: isPresent,
            techs: [],
            has_led: true,
            has_buzzer: true,
          },
        })),
    );
    this.check(changes, [...this.drop(lost), ...appeared.map(({ name }) => `connected ${name}`)]);
    this.known.clear();
    for (const each of states) if (each.listed) this.known.set(each.name, each.present);
  }

  /** The readers are not present any more. */
  drop(names: readonly string[]): string[] {
    this.stays = this.stays.filter((stay) => !names.includes(stay.reader));
    return [...this.known]
      .filter(([name, isPresent]) => isPresent && names.includes(name))
      .map(([name]) => `disconnected ${name}`);
  }

  come({ reader: name, tag: number, techs }: Extract<Step, { do: 'come' }>): void {
    const seen = { reader: name, tag: number, uid: '04', atqa: '0044', sak: '00' };
    const supported = TECHS.filter((_tech, i) => (techs >> i) % 2 === 1);
    const changes = this.readers.tagSeen({ ...seen, techs: supported });
    const known = this.stays.find((stay) => stay.reader === name && stay.tag === number);
    if (known) known.techs = techs;
    if (known || !this.known.get(name)) {
      assert.deepEqual(changes, []);
      return;
    }
    const [change] = changes;
    assert.ok(change?.change === 'tag' && changes.length === 1);
    const handle = this.fresh(change.tag.tag_handle, name);
    this.stays.push({ reader: name, tag: number, techs, handle, isUsed: false });
  }

  /** A handle that was not issued before. */
  fresh(handle: string, name: string): string {
    assert.ok(!this.issued.has(handle), 'a handle was issued twice');
    this.issued.set(handle, name);
    return handle;
  }

  use({ reader: chosen, choice, tech, forged }: Extract<Step, { do: 'use' }>): void {
    const known = [...this.issued.keys()].at(-1 - choice);
    const handle = known === undefined || forged ? 'AAAA' : known;
    const name = chosen ?? this.issued.get(handle) ?? 'a';
    const stay = this.stays.find((each) => each.handle === handle);
    const isRight = this.known.has(name) && this.issued.get(handle) === name;
    let expected = 'done';
    if (!isRight) expected = 'not_found';
    else if (!stay || stay.isUsed) expected = 'invalid_state';
    else if ((stay.techs >> tech) % 2 === 0) expected = 'nfc_tag_unsupported';
    let result = 'done';
    try {
      const use = this.readers.use(name, handle, TECHS[tech] ?? 'ndef');
      assert.ok(stay && !this.used.has(handle), 'a handle was used twice');
      assert.equal(use.tag, stay.tag);
      stay.isUsed = true;
      this.uses.push({ use, stay, handle });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      result = error.code;
    }
    assert.equal(result, expected);
    this.seen.set(result, (this.seen.get(result) ?? 0) + 1);
  }

  end({ choice, how }: Extract<Step, { do: 'end' }>): void {
    const [running] = this.uses.splice(choice % Math.max(1, this.uses.length), 1);
    if (!running) return;
    const { use, stay, handle } = running;
    stay.isUsed = false;
    if (how === 'release') {
      use.release();
      return;
    }
    this.used.add(handle);
    const next = how === 'end' ? use.end() : use.endWith('AAAA');
    if (!this.stays.includes(stay)) {
      assert.equal(next, undefined, 'the tag has left');
      return;
    }
    assert.ok(next !== undefined);
    stay.handle = this.fresh(next, stay.reader);
  }

  check(changes: readonly Change[], expected: readonly string[]): void {
    const texts = changes.map((change) => {
      if (change.change === 'tag') return assert.fail('no tag was expected');
      const handle = change.change === 'tag_removed' ? ` ${change.tag_handle}` : '';
      return `${change.change} ${change.reader_id}${handle}`;
    });
    assert.deepEqual(texts.sort(), [...expected].sort());
  }

  /** What a host sees is what the model has. */
  checkList(): void {
    const shown = this.readers.list().map(({ id, present, tags }) => ({
      ...{ id, present },
      handles: tags.map((each) => each.tag_handle).sort(),
    }));
    const handlesOf = (name: string) =>
      this.stays.filter((stay) => stay.reader === name).map(({ handle }) => handle);
    const expected = [...this.known].map(([id, present]) => ({ id, present, handles: handlesOf(id).sort() }));
    assert.deepEqual(shown.sort(byId), expected.sort(byId));
  }
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id.localeCompare(b.id);
}

test('handles keep their rules', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
      const model = new Model();
      model.take({ do: 'report', present: [true, true], listed: [true, true] });
      for (const each of steps) {
        model.take(each);
        model.checkList();
      }
      for (const [result, count] of model.seen) seen.set(result, (seen.get(result) ?? 0) + count);
    }),
    { numRuns: repetitions(400, 10_000) },
  );
  for (const result of ['done', 'not_found', 'invalid_state', 'nfc_tag_unsupported']) {
    assert.ok((seen.get(result) ?? 0) > 50, `${result} was seen ${seen.get(result) ?? 0} times`);
  }
});

test('a reader lists at most eight tags', () => {
  const readers = new Readers(new HandleIssuer(Buffer.alloc(32)));
  const state = { backend: 'acr122u', present: true, techs: [], has_led: true, has_buzzer: true };
  readers.replace([{ reader: 'a', ...state }]);
  for (let number = 0; number < 20; number += 1) {
    readers.tagSeen({ reader: 'a', tag: number, uid: '04', atqa: '0044', sak: '00', techs: [] });
  }
  assert.equal(readers.get('a')?.tags.length, 8);
});
