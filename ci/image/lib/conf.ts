import { readFileSync } from 'node:fs';

/** A browser that tests the web app. */
export type BrowserName = 'chromium' | 'firefox';

/** The content of packages.conf: the settings, and the package lists by section. */
export interface PackageConf {
  suite: string;
  components: string[];
  architecture: string;
  host: string[];
  runtime: string[];
  builder: string[];
  /** Unpacked for containers. */
  viewer: string[];
  /** Unpacked to run machines. */
  emulator: string[];
  /** Unpacked to test the web app; downloaded only for that. */
  chromium: string[];
  /** The same, for the full run. */
  firefox: string[];
  /** Downloaded but not installed: parts read the package files. */
  sources: string[];
  firmware: string[];
  /** Patterns of the files that are copied from packages which are not installed, by package. */
  extracted: Map<string, string[]>;
  /** The same for programs at the other end of emulated radios. */
  radios: Map<string, string[]>;
}

/** Sections whose lines are a package and patterns of its files. */
const FILE_SECTIONS = ['extracted', 'radios'] as const;

/** Reads packages.conf. Throws an error that names the invalid line or section. */
export function readPackageConf(path: string): PackageConf {
  return parsePackageConf(readFileSync(path, 'utf8'));
}

/** Parses the text of packages.conf; see {@link readPackageConf}. */
export function parsePackageConf(text: string): PackageConf {
  const settings = new Map<string, string[]>();
  const lists = new Map<string, string[]>();
  const files = new Map(FILE_SECTIONS.map((name) => [name as string, new Map<string, string[]>()]));
  let section = '';
  for (const [index, raw] of text.split('\n').entries()) {
    const words = raw.replace(/#.*/, '').trim().split(/\s+/).filter(Boolean);
    const [first, ...rest] = words;
    if (first === undefined) continue;
    const heading = /^\[([a-z]+)\]$/.exec(first)?.[1];
    if (heading !== undefined) {
      section = heading;
      lists.set(section, []);
    } else if (section === 'settings') {
      settings.set(first, rest);
    } else {
      const list = lists.get(section);
      if (!list) throw new Error(`packages.conf:${index + 1}: a package before the first [section]`);
      const patterns = files.get(section);
      const packages = patterns ? [first] : words;
      const bad = packages.find((word) => !/^[a-z0-9][a-z0-9.+-]+$/.test(word));
      if (bad) throw new Error(`packages.conf:${index + 1}: "${bad}" is not a package name`);
      if (patterns) {
        const outside = rest.find((path) => !/^usr\/(?!.*\.\.)/.test(path));
        if (outside || rest.length === 0)
          throw new Error(`packages.conf:${index + 1}: ${first} needs patterns of files in usr/`);
        patterns.set(first, [...(patterns.get(first) ?? []), ...rest]);
      }
      list.push(...packages);
    }
  }
  const list = (name: string): string[] => {
    const found = lists.get(name);
    if (!found?.length) throw new Error(`packages.conf: section [${name}] is missing or empty`);
    return found;
  };
  const setting = (name: string): string[] => {
    const found = settings.get(name);
    if (!found?.length) throw new Error(`packages.conf: setting ${name} is missing`);
    return found;
  };
  return {
    suite: setting('suite').join(' '),
    components: setting('components'),
    architecture: setting('architecture').join(' '),
    host: list('host'),
    runtime: list('runtime'),
    builder: list('builder'),
    viewer: list('viewer'),
    emulator: list('emulator'),
    chromium: list('chromium'),
    firefox: list('firefox'),
    sources: list('sources'),
    firmware: list('firmware'),
    extracted: files.get('extracted') ?? new Map(),
    radios: files.get('radios') ?? new Map(),
  };
}
