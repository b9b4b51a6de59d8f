/** How input is configured, and the devices that it comes from. */
import type { ResponseOf } from '../../../../client/contract.ts';
import { until } from '../../app/actions.ts';
import { fieldOf } from '../../app/config-values.ts';
import { connection } from '../../app/device-state.ts';
import { Resource } from '../../app/resource.ts';

export type InputDevice = ResponseOf<'GET', '/input/devices'>[number];

/** Of the on-screen keyboard. */
export const MODES = ['off', 'auto', 'on'] as const;
export type Mode = (typeof MODES)[number];
/** Of the mouse pointer. */
export const POINTERS = ['auto', 'always', 'never'] as const;
export type Pointer = (typeof POINTERS)[number];
/** Layouts of the on-screen keyboard. */
export const SCREEN_LAYOUTS = ['en', 'de', 'fr', 'es'] as const;
export type ScreenLayout = (typeof SCREEN_LAYOUTS)[number];

export interface InputSettings {
  /** Of keyboards and scanners, by its name in XKB. */
  readonly layout: string;
  readonly screenKeyboard: Mode;
  /** In the order of the language key; at least one. */
  readonly screenLayouts: readonly ScreenLayout[];
  readonly pointer: Pointer;
}

const RESULT_MS = 15_000;
/** The compositor is restarted with a layout. */
const PATCH_MS = 40_000;

/** They come and go without an event, so they are read whenever the device tells how it is. */
export const inputDevices = new Resource<InputDevice[]>(connection, {
  load: (client) => client.get('/input/devices'),
  refreshOn: ['health'],
});

export const settings = new Resource<InputSettings>(connection, {
  load: async (client) => settingsIn(await client.get('/config')),
  follow: (set) => connection.on('config_changed', ({ config }) => set(settingsIn(config))),
});

function settingsIn(config: unknown): InputSettings {
  const layout = fieldOf(config, 'input', 'keyboard_layout');
  const listed = fieldOf(config, 'browser', 'keyboard_layouts');
  const screenLayouts = Array.isArray(listed)
    ? listed.flatMap((value: unknown) => SCREEN_LAYOUTS.find((one) => one === value) ?? [])
    : [];
  return {
    layout: typeof layout === 'string' ? layout : 'us',
    screenKeyboard: oneOf(MODES, fieldOf(config, 'browser', 'on_screen_keyboard')),
    // The device takes this one if none is configured.
    screenLayouts: screenLayouts.length > 0 ? screenLayouts : ['en'],
    pointer: oneOf(POINTERS, fieldOf(config, 'browser', 'pointer')),
  };
}

/** The value if it is one of these, else "auto". */
function oneOf<T extends string>(values: readonly (T | 'auto')[], value: unknown): T | 'auto' {
  return values.find((one) => one === value) ?? 'auto';
}

/**
 * Changes a field of the configuration.
 * @param isDone whether the device says so
 * @returns whether it is in effect; else it takes a restart of the device
 */
export async function change(
  group: 'input' | 'browser',
  field: string,
  value: unknown,
  isDone: (now: InputSettings) => boolean,
): Promise<boolean> {
  const { applied } = await connection.client.patch('/config', {
    json: { [group]: { [field]: value } },
    timeoutMs: PATCH_MS,
  });
  await until(() => settings.value.value !== undefined && isDone(settings.value.value), RESULT_MS);
  return applied[`${group}.${field}`] !== 'reboot_required';
}
