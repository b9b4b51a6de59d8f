import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { validator } from '../../validation/validator.ts';
import { brokenRules, NEW_DEVICES, releaseLines, stepsOf, type VirtualDevices } from './injection.ts';
import { codesOfCharacters, isAscii, keymapText, MAX_CHARACTERS } from './keymap.ts';
import { BUTTONS, type InjectedEvent, injectInput, KEYS, MAX_TEXT } from './schema.ts';

function linesOf(
  devices: VirtualDevices,
  events: InjectedEvent[],
): { devices: VirtualDevices; lines: string[] } {
  const { steps, devices: then } = stepsOf(devices, events);
  return { devices: then, lines: steps.flatMap((step) => step.lines) };
}

/** The lines of events, without keymaps. */
function lines(events: InjectedEvent[], devices: VirtualDevices = NEW_DEVICES): string[] {
  return linesOf(devices, events).lines.filter((line) => !line.startsWith('keymap '));
}

/** The characters that the keymap of a line types, by their codes. */
function typedBy(keymap: string): Map<number, string> {
  const typed = keymap.matchAll(/key<(\d+)>\{repeat=No,\[U([0-9A-F]+)\]\};/g);
  return new Map(
    [...typed].map(([, code, hex = '']) => [Number(code), String.fromCodePoint(Number.parseInt(hex, 16))]),
  );
}

/** What a reader of the lines types and holds: a model of native/virtual-input.c and the compositor. */
function perform(all: readonly string[]) {
  const held = new Set<string>();
  const used = new Set<string>();
  let characters = new Map<number, string>();
  let [text, modifiers] = ['', 0];
  for (const line of all) {
    const [what = '', first = '', second] = line.split(' ');
    if (what === 'keymap') [characters, modifiers] = [typedBy(line), 0];
    if (what === 'modifiers') modifiers = Number(first);
    if (what !== 'key' && what !== 'button') continue;
    used.add(first);
    assert.equal(held.has(first), second === '0', `${line} changes nothing`);
    if (second === '1') held.add(first);
    else held.delete(first);
    if (second !== '1' || what !== 'key') continue;
    const character = characters.get(Number(first)) ?? { 28: '\n', 15: '\t' }[first];
    if (character !== undefined) text += modifiers === 0 ? character : `^${character}`;
  }
  return { held: [...held].map(Number), used, text, modifiers };
}

test('a click is a move, a press and a release; the screen’s edge is inside of it', () => {
  const at = { type: 'click', x: 0.25, y: 1 } as const;
  assert.deepEqual(lines([at]), ['move 250000 999999', 'button 272 1', 'button 272 0']);
  assert.deepEqual(lines([{ ...at, button: 'right' }]).slice(1), ['button 273 1', 'button 273 0']);
  assert.deepEqual(lines([{ type: 'wheel', dx: -1, dy: 0.5 }]), ['wheel -102 51']);
});

test('a step has one device, ends with a button, and counts the events that the page may get', () => {
  const click = { type: 'click', x: 0, y: 0 } as const;
  const { steps } = stepsOf(NEW_DEVICES, [
    click,
    { type: 'wheel', dy: 1 },
    { type: 'text', text: 'ab' },
    click,
  ]);
  const texts = steps.map(
    ({ device, lines: { length }, events, needsFrame }) =>
      `${device} ${length} ${events}${needsFrame ? ' frame' : ''}`,
  );
  assert.deepEqual(texts, [
    ...['pointer 2 1 frame', 'pointer 1 1', 'pointer 1 1', 'keyboard 5 5'],
    ...['pointer 2 1 frame', 'pointer 1 1'],
  ]);
  // Also by another request.
  const { devices } = stepsOf(NEW_DEVICES, [{ type: 'move', x: 0, y: 0 }]);
  assert.equal(stepsOf(devices, [{ type: 'button', pressed: true }]).steps[0]?.needsFrame, true);
});

test('pressing twice or releasing what is not held does nothing', () => {
  const press = { type: 'button', pressed: true } as const;
  assert.deepEqual(lines([{ ...press, pressed: false }, press, press]), ['button 272 1']);
  const { devices } = linesOf(NEW_DEVICES, [press, { type: 'key', key: 'Home', pressed: true }]);
  assert.deepEqual(devices.pressed, [272, 102]);
  assert.deepEqual(lines([{ type: 'key', key: 'Home' }], devices), ['key 102 0']);
  assert.deepEqual(releaseLines(devices).lines, ['key 102 0', 'button 272 0']);
});

test('modifiers hold for keys, not for text', () => {
  const shift = { type: 'key', key: 'Shift', pressed: true } as const;
  const control = { ...shift, key: 'Control' } as const;
  const { devices } = linesOf(NEW_DEVICES, [shift, control]);
  assert.deepEqual(lines([shift, control]), ['key 42 1', 'modifiers 1', 'key 29 1', 'modifiers 5']);
  assert.deepEqual(lines([{ type: 'text', text: '\n' }], devices), [
    'modifiers 0',
    'key 28 1',
    'key 28 0',
    'modifiers 5',
  ]);
  // A new keymap starts without modifiers.
  assert.equal(linesOf(devices, [{ type: 'text', text: 'ü' }]).lines[1], 'modifiers 5');
  assert.deepEqual(releaseLines(devices).lines, ['key 29 0', 'modifiers 1', 'key 42 0', 'modifiers 0']);
});

test('a keymap is sent with the first key, and again only for new characters', () => {
  const keymaps = (devices: VirtualDevices, event: InjectedEvent) =>
    linesOf(devices, [event]).lines.filter((line) => line.startsWith('keymap ')).length;
  assert.equal(keymaps(NEW_DEVICES, { type: 'click', x: 0, y: 0 }), 0);
  assert.equal(keymaps(NEW_DEVICES, { type: 'key', key: 'Tab' }), 1);
  const { devices } = linesOf(NEW_DEVICES, [{ type: 'text', text: 'a漢' }]);
  assert.deepEqual(devices.characters, ['漢']);
  assert.equal(keymaps(devices, { type: 'text', text: 'b漢c' }), 0);
  assert.equal(keymaps(devices, { type: 'text', text: '字' }), 1);
  const full = Array.from({ length: MAX_CHARACTERS }, (_, index) => String.fromCodePoint(0x4e00 + index));
  assert.deepEqual(
    linesOf({ ...devices, characters: full }, [{ type: 'text', text: 'é' }]).devices.characters,
    ['é'],
  );
  const last = [...codesOfCharacters(full).values()].at(-1) ?? 0;
  // The highest code of libxkbcommon.
  assert.ok(last + 8 <= 4095, String(last));
  assert.match(keymapText(full), /^[^\n]+$/);
});

test('any events hold what they say, type their text, and use only known keys', () => {
  const key = fc.constantFrom(...KEYS);
  const pressed = fc.option(fc.boolean(), { nil: undefined });
  const event = fc.oneof(
    fc.record({ type: fc.constant('key' as const), key, pressed }),
    fc.record({ type: fc.constant('button' as const), button: fc.constantFrom(...BUTTONS), pressed }),
    fc.record({
      type: fc.constant('text' as const),
      text: fc.string({ unit: fc.constantFrom('a', '~', 'ü', '漢', '😀', '\n', '\t', '"') }),
    }),
  );
  const known = new Set(['272', '273', '274', '1', '14', '15', '28', '29', '42']);
  for (const code of ['102', '103', '104', '105', '106', '107', '108', '109', '111']) known.add(code);
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), (events) => {
      const given: InjectedEvent[] = JSON.parse(JSON.stringify(events));
      const { devices, lines: sent } = linesOf(NEW_DEVICES, given);
      const seen = perform(sent);
      assert.deepEqual(seen.held.toSorted(), devices.pressed.toSorted());
      for (const code of seen.used) assert.ok(known.has(code) || Number(code) >= 0x300, code);
      const isTextAlone = given.every(({ type }) => type === 'text');
      if (isTextAlone) assert.equal(seen.text, given.map(({ text = '' }) => text).join(''));
      assert.deepEqual(perform([...sent, ...releaseLines(devices).lines]).held, []);
      assert.equal(perform([...sent, ...releaseLines(devices).lines]).modifiers, 0);
    }),
  );
  assert.ok(isAscii('~') && !isAscii('ü'));
});

test('the schema refuses other keys, places outside of the screen, control characters, too many events', () => {
  const requests = validator(injectInput.body);
  const body = (...events: unknown[]) => ({ events });
  assert.ok(requests.fits(body({ type: 'text', text: 'ü\n\t' })));
  for (const event of [
    ...['F1', 'Alt', 'Meta', 'a', 'Power', 'XF86Switch_VT_1'].map((key) => ({ type: 'key', key })),
    { type: 'click', x: 1.01, y: 0 },
    { type: 'click', x: -0.01, y: 0 },
    { type: 'wheel', dy: 1e9 },
    { type: 'button', button: 'side', pressed: true },
    ...['\u0000', '\u001b[A', '\r', '\u0085', '', 'a'.repeat(MAX_TEXT + 1)].map((text) => ({
      type: 'text',
      text,
    })),
    { type: 'touch' },
  ])
    assert.ok(!requests.fits(body(event)), JSON.stringify(event));
  assert.ok(!requests.fits(body()));
  assert.ok(!requests.fits(body(...Array(65).fill({ type: 'key', key: 'Tab' }))));
});

test('an event has the fields of its type', () => {
  const broken = (...events: InjectedEvent[]) =>
    brokenRules(events).map(({ path, message }) => `${path} ${message}`);
  assert.deepEqual(broken({ type: 'click', x: 0, y: 0, button: 'left' }, { type: 'wheel', dy: 1 }), []);
  assert.deepEqual(broken({ type: 'key', key: 'Tab' }, { type: 'click', x: 0, text: 'a', pressed: true }), [
    '/events/1/y is required',
    '/events/1/text is not a field of click',
    '/events/1/pressed is not a field of click',
  ]);
  assert.deepEqual(broken({ type: 'button' }, { type: 'wheel' }), [
    '/events/0/pressed is required',
    '/events/1 must have dx or dy',
  ]);
  const half: InjectedEvent = { type: 'text', text: '😀'.repeat(MAX_TEXT / 2) };
  assert.deepEqual(broken(half, half), []);
  assert.deepEqual(broken(half, half, { type: 'text', text: 'a' }), [
    '/events must not have more than 1000 characters of text',
  ]);
});
