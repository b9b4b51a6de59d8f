import { readFileSync } from 'node:fs';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { readRegularFile } from '../base/regular-file.ts';
import type { KeyboardLayout } from '../resources/input/ports.ts';

/** Names of the layouts and variants (xkeyboard-config). */
const RULES = '/usr/share/X11/xkb/rules/evdev.lst';
const MAX_BYTES = 100;
/** Used by overlay/usr/lib/vitrine/kiosk-prepare without a file. */
const DEFAULT_LAYOUT = 'us';

/** The file from which overlay/usr/lib/vitrine/kiosk-prepare takes the compositor's keyboard layout. */
export class KeyboardLayoutFile implements KeyboardLayout {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async set(layout: string): Promise<boolean> {
    const stored = await readRegularFile(this.#path, MAX_BYTES).catch(() => '');
    const before = stored === undefined ? DEFAULT_LAYOUT : String(stored).trimEnd();
    if (before === layout) return false;
    await writeFileAtomic(this.#path, `${layout}\n`);
    return true;
  }
}

/**
 * Whether a keyboard layout may be configured: on the appliance, those of its XKB data; on another computer, which never
 * applies it, any.
 * @param rules the list of names, for tests
 */
export function knownKeyboardLayouts(ownsSystem: boolean, rules = RULES): (layout: string) => boolean {
  let known: Set<string> | undefined;
  return (layout) => {
    if (!ownsSystem) return true;
    known ??= layoutNames(readRules(rules));
    return known.has(layout);
  };
}

function readRules(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // a system without the data has no layouts
  }
}

/**
 * `de` and `de(nodeadkeys)` for each layout and variant.
 * @param text a list of XKB rules: sections begin with `! layout` and `! variant`, entries are `  nodeadkeys  de: German`
 */
export function layoutNames(text: string): Set<string> {
  const names = new Set<string>();
  let section = '';
  for (const line of text.split('\n')) {
    const [first = '', second = ''] = line.trim().split(/\s+/, 2);
    if (first === '!') section = second;
    else if (section === 'layout' && first !== 'custom') names.add(first);
    else if (section === 'variant' && second.endsWith(':')) names.add(`${second.slice(0, -1)}(${first})`);
  }
  names.delete('');
  return names;
}
