/** What a host's events mean: their rules, and the lines for the virtual pointer and keyboard. Pure. */
import type { Issue } from '../../contract/issues.ts';
import { codeOfKey, codesOfCharacters, isAscii, keymapText, MAX_CHARACTERS, modifierMask } from './keymap.ts';
import { BUTTONS, type InjectedEvent, MAX_TEXT } from './schema.ts';

/** linux/input-event-codes.h. */
const BUTTON_CODES = { left: 0x110, right: 0x111, middle: 0x112 } as const;
const ALL_BUTTONS: readonly number[] = Object.values(BUTTON_CODES);
/** Positions in lines are in millionths. The last place of the screen is a little before its edge. */
const EXTENT = 1_000_000;
/** Lengths in lines are in 256ths of a pixel, of which WebKit for WPE makes 2.5 (WebEventFactoryWPE.cpp). */
const WHEEL_UNITS = 256 / 2.5;

type EventType = InjectedEvent['type'];
type Field = Exclude<keyof InjectedEvent, 'type'>;

/** Fields that an event must have, and others that it may have. */
const FIELDS: Readonly<Record<EventType, { required: readonly Field[]; optional: readonly Field[] }>> = {
  move: { required: ['x', 'y'], optional: [] },
  click: { required: ['x', 'y'], optional: ['button'] },
  button: { required: ['pressed'], optional: ['button'] },
  wheel: { required: [], optional: ['dx', 'dy'] },
  key: { required: ['key'], optional: ['pressed'] },
  text: { required: ['text'], optional: [] },
};

/** The rules that events break which fit the schema. */
export function brokenRules(events: readonly InjectedEvent[]): Issue[] {
  const issues = events.flatMap((event, index) => brokenBy(event, `/events/${index}`));
  const typed = events.reduce((sum, { text = '' }) => sum + [...text].length, 0);
  if (typed > MAX_TEXT)
    issues.push({ path: '/events', message: `must not have more than ${MAX_TEXT} characters of text` });
  return issues;
}

function brokenBy(event: InjectedEvent, path: string): Issue[] {
  const { required, optional } = FIELDS[event.type];
  const given = Object.keys(event).filter((name) => name !== 'type');
  const known: readonly string[] = [...required, ...optional];
  const issues = [
    ...required
      .filter((name) => event[name] === undefined)
      .map((name) => ({ path: `${path}/${name}`, message: 'is required' })),
    ...given
      .filter((name) => !known.includes(name))
      .map((name) => ({ path: `${path}/${name}`, message: `is not a field of ${event.type}` })),
  ];
  if (event.type === 'wheel' && event.dx === undefined && event.dy === undefined)
    issues.push({ path, message: 'must have dx or dy' });
  return issues;
}

/** What the virtual pointer and keyboard have after the lines that were sent. */
export interface VirtualDevices {
  /** Codes of the keys and buttons that are held, in the order in which they were pressed. */
  readonly pressed: readonly number[];
  /** The characters of the keymap beside ASCII; undefined before the first keymap. */
  readonly characters: readonly string[] | undefined;
  /** The pointer has moved after the last button. */
  readonly hasMoved: boolean;
}

/** A new pointer and keyboard. */
export const NEW_DEVICES: VirtualDevices = { pressed: [], characters: undefined, hasMoved: false };

/** Lines (native/virtual-input.c) that are sent at once. */
export interface Step {
  device: Device;
  lines: string[];
  /** Most events that the page gets, without those of moves. */
  events: number;
  /** The pointer has moved before a button: the page gets that with its next frame, and the button afterwards. */
  needsFrame: boolean;
}

type Device = 'pointer' | 'keyboard';

/** The steps that do these events, and what is the case after them. */
export function stepsOf(
  devices: VirtualDevices,
  events: readonly InjectedEvent[],
): { devices: VirtualDevices; steps: Step[] } {
  const writer = new Writer(devices);
  for (const event of events) writer.write(event);
  return writer;
}

/** The lines that release everything, the last pressed first. */
export function releaseLines(devices: VirtualDevices): { devices: VirtualDevices; lines: string[] } {
  const writer = new Writer(devices);
  for (const code of devices.pressed.toReversed()) writer.release(code);
  return { devices: writer.devices, lines: writer.steps.flatMap(({ lines }) => lines) };
}

class Writer {
  readonly steps: Step[] = [];
  devices: VirtualDevices;

  constructor(devices: VirtualDevices) {
    this.devices = devices;
  }

  write(event: InjectedEvent): void {
    const { type, x = 0, y = 0, button = BUTTONS[0], pressed, dx = 0, dy = 0, key, text = '' } = event;
    if (type === 'move' || type === 'click') this.#add('pointer', `move ${place(x)} ${place(y)}`);
    if (type === 'click') this.#use(BUTTON_CODES[button]);
    else if (type === 'button') this.#use(BUTTON_CODES[button], pressed);
    else if (type === 'wheel') this.#add('pointer', `wheel ${way(dx)} ${way(dy)}`);
    else if (type === 'key' && key !== undefined) this.#useKey(codeOfKey(key), pressed);
    else if (type === 'text') this.#type([...text]);
  }

  release(code: number): void {
    if (!this.devices.pressed.includes(code)) return;
    this.#set(code, false);
    this.devices = { ...this.devices, pressed: this.devices.pressed.filter((other) => other !== code) };
    this.#setModifiers(code);
  }

  #press(code: number): void {
    if (this.devices.pressed.includes(code)) return;
    this.#set(code, true);
    this.devices = { ...this.devices, pressed: [...this.devices.pressed, code] };
    this.#setModifiers(code);
  }

  /** @param pressed undefined: pressed and released */
  #use(code: number, pressed?: boolean): void {
    if (pressed !== false) this.#press(code);
    if (pressed !== true) this.release(code);
  }

  #useKey(code: number, pressed?: boolean): void {
    this.#haveCharacters([]);
    this.#use(code, pressed);
  }

  #type(characters: readonly string[]): void {
    this.#haveCharacters(characters.filter((one) => !isAscii(one) && one !== '\n' && one !== '\t'));
    const mask = modifierMask(this.devices.pressed);
    const codes = codesOfCharacters(this.devices.characters ?? []);
    if (mask !== 0) this.#add('keyboard', 'modifiers 0');
    for (const character of characters) {
      const code = codes.get(character);
      if (code !== undefined) this.#use(code);
      else this.#use(codeOfKey(character === '\n' ? 'Enter' : 'Tab'));
    }
    if (mask !== 0) this.#add('keyboard', `modifiers ${mask}`);
  }

  /** Replaces the keymap if it lacks one of these characters. */
  #haveCharacters(wanted: readonly string[]): void {
    const had = this.devices.characters;
    const needed = new Set(had);
    for (const character of wanted) needed.add(character);
    if (had && needed.size === had.length) return;
    const characters = needed.size > MAX_CHARACTERS ? [...new Set(wanted)] : [...needed];
    this.#add('keyboard', `keymap ${keymapText(characters)}`);
    // It starts without modifiers.
    const mask = modifierMask(this.devices.pressed);
    if (mask !== 0) this.#add('keyboard', `modifiers ${mask}`);
    this.devices = { ...this.devices, characters };
  }

  #set(code: number, isPressed: boolean): void {
    const state = `${code} ${isPressed ? 1 : 0}`;
    if (ALL_BUTTONS.includes(code)) this.#add('pointer', `button ${state}`);
    else this.#add('keyboard', `key ${state}`);
  }

  /** The compositor does not derive the modifiers from the keys of a virtual keyboard. */
  #setModifiers(changed: number): void {
    if (modifierMask([changed]) !== 0)
      this.#add('keyboard', `modifiers ${modifierMask(this.devices.pressed)}`);
  }

  /**
   * WebKit has one queue for the pointer and one for keys, and empties the first when a button opens a context menu. So
   * one device follows the other, and other events a button, only when the page has handled those before.
   */
  #add(device: Device, line: string): void {
    let step = this.steps.at(-1);
    if (!step || step.device !== device || step.lines.at(-1)?.startsWith('button ')) {
      step = { device, lines: [], events: 0, needsFrame: false };
      this.steps.push(step);
    }
    step.lines.push(line);
    if (line.startsWith('move ')) {
      this.devices = { ...this.devices, hasMoved: true };
      return;
    }
    step.events += 1;
    if (line.startsWith('button ')) {
      step.needsFrame = this.devices.hasMoved;
      this.devices = { ...this.devices, hasMoved: false };
    }
  }
}

function place(fraction: number): number {
  return Math.min(Math.round(fraction * EXTENT), EXTENT - 1);
}

function way(pixels: number): number {
  return Math.round(pixels * WHEEL_UNITS);
}
