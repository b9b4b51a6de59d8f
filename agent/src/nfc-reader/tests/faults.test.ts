import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError, ReaderError, TagError } from '../errors.ts';
import type { FieldTag } from '../field.ts';
import { Pn532 } from '../pn532/chip.ts';
import { Pn532Field } from '../pn532/field.ts';
import { readNdef, writeNdef } from '../tags/ndef.ts';
import { WriteProgress } from '../tags/progress.ts';
import { FAULTS, type Fault, ModelChip, PASSING } from './model-chip.ts';
import { type ModelTag, ModelType2, ModelType4 } from './model-tags.ts';

const LIMITS = { acknowledgeMs: 4, commandMs: 4 };
const OLD = Buffer.from('the message that was there before');
const NEW = Buffer.from('another message, which is longer than the one that was there before it. ');

interface Bench {
  chip: ModelChip;
  field: Pn532Field;
}

async function bench(tag: ModelTag): Promise<Bench> {
  const chip = new ModelChip();
  chip.put(tag);
  const pn532 = new Pn532(chip, LIMITS);
  await pn532.start();
  return { chip, field: new Pn532Field(pn532) };
}

async function firstTag({ field }: Bench): Promise<FieldTag> {
  const [tag] = await field.poll();
  assert.ok(tag);
  return tag;
}

/** What the tag contains, read with a chip that has no fault. */
async function contentOf(tag: ModelTag): Promise<string> {
  const { isFormatted, message } = await readNdef(await firstTag(await bench(tag)));
  assert.ok(isFormatted);
  return message?.toString() ?? '';
}

async function tagWith(make: () => ModelTag, message: Buffer): Promise<ModelTag> {
  const tag = make();
  await writeNdef(await firstTag(await bench(tag)), message, new WriteProgress());
  assert.equal(await contentOf(tag), message.toString());
  return tag;
}

const KINDS: readonly [string, () => ModelTag][] = [
  ['type 2', ModelType2.ntag215],
  ['type 4', () => new ModelType4()],
];

/** Runs `work` with a fault at its first command, then at its second one, until it needs no more commands. */
async function atEachCommand(
  kind: Fault,
  run: (chip: ModelChip, at: number) => Promise<number>,
): Promise<number> {
  for (let at = 0; ; at++) {
    const chip = new ModelChip();
    if (at >= (await run(chip, at))) return at;
    assert.ok(at < 1000, kind);
  }
}

for (const [name, make] of KINDS) {
  for (const kind of FAULTS) {
    test(`${name}, read: ${kind} at every command`, async () => {
      const tag = await tagWith(make, OLD);
      const points = await atEachCommand(kind, async (_, at) => {
        const here = await bench(tag);
        const before = here.chip.commands.length;
        here.chip.fault = { at: before + at, kind };
        try {
          const [found] = await here.field.poll();
          if (found) assert.equal((await readNdef(found)).message?.toString(), OLD.toString());
          else assert.equal(kind, 'tag removed');
        } catch (error) {
          assert.ok(error instanceof TagError || error instanceof ReaderError, String(error));
          // What passes does no harm to a type 2 tag, whose commands may be repeated.
          assert.ok(
            name === 'type 4' || !['nack', 'bad checksum once', 'bad acknowledge'].includes(kind),
            kind,
          );
          assert.ok(!['nack', 'bad checksum once'].includes(kind), kind);
        }
        const used = here.chip.commands.length - before;
        here.chip.fault = undefined;
        if (kind === 'tag removed' && at < used) {
          // Within two polls.
          await here.field.poll();
          assert.deepEqual(await here.field.poll(), []);
        } else {
          // The reader goes on, and the tag can be read.
          await here.field.poll();
          const [again] = await here.field.poll();
          assert.ok(again);
          assert.equal((await readNdef(again)).message?.toString(), OLD.toString());
        }
        return used;
      });
      assert.ok(points >= 5, `${points} points`);
    });

    test(`${name}, write: ${kind} at every command`, async () => {
      const states = new Set<string>();
      const points = await atEachCommand(kind, async (_, at) => {
        const tag = await tagWith(make, OLD);
        const here = await bench(tag);
        const found = await firstTag(here);
        const before = here.chip.commands.length;
        here.chip.fault = { at: before + at, kind };
        const progress = new WriteProgress();
        let isDone = false;
        try {
          await writeNdef(found, NEW, progress);
          isDone = true;
        } catch (error) {
          const isKnown =
            error instanceof TagError || error instanceof ReaderError || error instanceof CommandError;
          assert.ok(isKnown, String(error));
          assert.ok(!PASSING.includes(kind), kind);
        }
        const content = await contentOf(tag);
        states.add(isDone ? 'done' : progress.state);
        if (isDone) assert.equal(content, NEW.toString());
        const possible = { unchanged: [OLD], empty: [Buffer.alloc(0)], written: [NEW] } as const;
        const expected =
          progress.state === 'unknown' ? [OLD, Buffer.alloc(0), NEW] : possible[progress.state];
        assert.ok(
          expected.some((message) => message.toString() === content),
          `${progress.state}: ${content}`,
        );
        return here.chip.commands.length - before;
      });
      assert.ok(points > 10, `${points} points`);
      if (kind === 'tag removed') {
        assert.deepEqual([...states].sort(), ['done', 'empty', 'unchanged', 'unknown', 'written']);
      }
    });
  }
}
