/** The screen's part of the configuration: what it says, and the changes of it. Pure. */
import type { Change } from './trial.ts';
import { type Span, spansIn } from './week.ts';

/** Degrees clockwise by which the picture is turned. */
export const ROTATIONS = [0, 90, 180, 270] as const;
export type Rotation = (typeof ROTATIONS)[number];

/** What is set for the screen that shows the page. */
export interface ScreenSettings {
  readonly rotation: Rotation;
  /** `<width>x<height>@<refresh>`; null: the screen decides. */
  readonly mode: string | null;
  /** Pixels per CSS pixel; null: the device decides. */
  readonly scale: number | null;
}

export interface DisplaySettings extends ScreenSettings {
  readonly schedule: readonly Span[];
  /** What differs on one output, by its id; null: as for all. */
  readonly screens: ReadonlyMap<string, { readonly rotation: Rotation | null; readonly mode: string | null }>;
  /** Name of the time zone of the device. */
  readonly zone: string;
}

type Tree = Readonly<Record<string, unknown>>;

/**
 * The settings in a configuration of the device.
 * @throws TypeError if it is none
 */
export function settingsIn(config: unknown): DisplaySettings {
  const { display, device } = treeIn(config);
  const { rotation, forced_mode, scale, power_schedule, screens } = treeIn(display);
  return {
    rotation: rotationIn(rotation) ?? 0,
    mode: textIn(forced_mode),
    scale: typeof scale === 'number' ? scale : null,
    schedule: spansIn(power_schedule),
    screens: new Map(
      Object.entries(treeIn(screens ?? {})).map(([id, entry]) => {
        const own = treeIn(entry);
        return [id, { rotation: rotationIn(own.rotation), mode: textIn(own.forced_mode) }];
      }),
    ),
    zone: textIn(treeIn(device).timezone) ?? '',
  };
}

function treeIn(value: unknown): Tree {
  if (typeof value !== 'object' || value === null) throw new TypeError('not a configuration');
  return { ...value };
}

function rotationIn(value: unknown): Rotation | null {
  return ROTATIONS.find((one) => one === value) ?? null;
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/**
 * What is in force for a screen: its own values, else those for all.
 * @param id of the screen that shows the page; undefined if there is none
 */
export function settingsOf(settings: DisplaySettings, id: string | undefined): ScreenSettings {
  const own = settings.screens.get(id ?? '');
  return {
    rotation: own?.rotation ?? settings.rotation,
    mode: own?.mode ?? settings.mode,
    scale: settings.scale,
  };
}

/**
 * The change that gives a screen other settings. A value is set where the present one comes from, so that it is in force
 * and other screens keep theirs.
 * @param wanted only what is to be changed
 */
export function changeTo(
  settings: DisplaySettings,
  id: string | undefined,
  wanted: Partial<ScreenSettings>,
): Change {
  const own = settings.screens.get(id ?? '');
  const tried = new Map<string, unknown>();
  const earlier = new Map<string, unknown>();
  const set = (name: string, value: unknown, before: unknown) => {
    tried.set(name, value);
    earlier.set(name, before);
  };
  const triedOwn = new Map<string, unknown>();
  const earlierOwn = new Map<string, unknown>();
  const setOwn = (name: string, value: unknown, before: unknown) => {
    triedOwn.set(name, value);
    earlierOwn.set(name, before);
  };
  const { rotation, mode, scale } = wanted;
  if (scale !== undefined) set('scale', scale, settings.scale);
  if (rotation !== undefined) {
    if (own && own.rotation !== null) setOwn('rotation', rotation, own.rotation);
    else set('rotation', rotation, settings.rotation);
  }
  if (mode !== undefined) {
    const isOwn = own !== undefined && own.mode !== null;
    if (isOwn) setOwn('forced_mode', mode, own.mode);
    // Without a value of its own, the one for all is in force.
    if (!isOwn || mode === null) set('forced_mode', mode, settings.mode);
  }
  if (triedOwn.size > 0) {
    set(
      'screens',
      { [id ?? '']: Object.fromEntries(triedOwn) },
      { [id ?? '']: Object.fromEntries(earlierOwn) },
    );
  }
  return { tried: Object.fromEntries(tried), earlier: Object.fromEntries(earlier) };
}
