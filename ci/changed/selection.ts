import { ALL, scenariosOfArea } from './areas.ts';
import { type Graph, reached } from './graph.ts';

/** A change. Paths are relative to the project's folder. */
export interface Change {
  changed: readonly string[];
  /** Every file of the project. */
  files: readonly string[];
  graph: Graph;
}

/** The part of a stage that is run (all of it, or the named tests), and why. */
export interface Choice {
  run: readonly string[] | typeof ALL;
  why: string;
}

export interface Selection {
  /** Paths of test files. */
  unit: Choice;
  generated: Choice;
  boards: Choice;
  buildroot: Choice;
  scenarios: Choice;
}

const BOARDS = /^(?:board|overlay|ci\/boards|ci\/image)\/|^ci\/boards\.ts$/;
const BUILDROOT = /^(?:board|buildroot-external|ci\/buildroot)\//;
const GENERATED = /^agent\/src\/|^docs\/(?:openapi|asyncapi)\.yaml$|^ci\/generate\.ts$/;
/** Files that all code depends on. */
const EVERYTHING = /^package(?:-lock)?\.json$/;
const SCENARIO = /^tests-qemu\/scenarios\/([^/]+)\.ts$/;

const NOTHING: Choice = { run: [], why: 'none of its sources changed' };

/** Selects what a change can affect. Lint and types always run. */
export function select({ changed, files, graph }: Change): Selection {
  const unknown = changed.find((path) => EVERYTHING.test(path) || scenariosOfArea(path) === undefined);
  if (unknown !== undefined) {
    const all: Choice = { run: ALL, why: `${unknown} can affect everything` };
    return { unit: all, generated: all, boards: all, buildroot: all, scenarios: all };
  }
  const affected = reached(changed, graph);
  return {
    unit: unitTests(changed, files, affected),
    generated: first(changed, GENERATED),
    boards: first(changed, BOARDS),
    buildroot: first(changed, BUILDROOT),
    scenarios: scenarios(changed, files, graph),
  };
}

function first(changed: readonly string[], area: RegExp): Choice {
  const path = changed.find((one) => area.test(one));
  return path === undefined ? NOTHING : { run: ALL, why: `${path} changed` };
}

function unitTests(changed: readonly string[], files: readonly string[], affected: Set<string>): Choice {
  const tests = files.filter((path) => path.endsWith('.test.ts') && affected.has(path));
  if (tests.length === 0) return NOTHING;
  return { run: tests, why: `they depend on ${listed(changed)}` };
}

function scenarios(changed: readonly string[], files: readonly string[], graph: Graph): Choice {
  const whys = new Map<string, string>();
  for (const path of changed) {
    const ofArea = scenariosOfArea(path) ?? [];
    if (ofArea === ALL) return { run: ALL, why: `${path} affects the whole image` };
    for (const name of ofArea) whys.set(name, path);
  }
  // Code that scenarios run on this computer is found by imports; files in the image have an area.
  const outside = changed.filter((path) => /^(?:ci|client|testing|tests-qemu)\//.test(path));
  const affected = reached(outside, graph);
  for (const path of files) {
    const name = SCENARIO.exec(path)?.[1];
    if (name !== undefined && affected.has(path)) whys.set(name, listed(outside));
  }
  if (whys.size === 0) return NOTHING;
  return { run: [...whys.keys()].sort(), why: `for ${listed([...new Set(whys.values())])}` };
}

/** At most three paths, and the number of further ones. */
function listed(paths: readonly string[]): string {
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : '';
  return paths.slice(0, 3).join(', ') + more;
}
