/** Whether the device takes input from hosts: `input.remote` of its configuration. */
import { type Action, until, useAction } from '../../app/actions.ts';
import { connection } from '../../app/device-state.ts';
import { ActionError } from '../../app/failure.ts';
import { Resource } from '../../app/resource.ts';
import { inputFailureOf } from './input-failure.ts';
import type { InputEvent } from './inputs.ts';

const TIMEOUT_MS = 15_000;
/** The device waits 5 s for a page that is busy, and 10 s for its compositor. */
const INPUT_TIMEOUT_MS = 20_000;
/** The release of a button that is not pressed: it does nothing on the screen. */
const NOTHING: InputEvent = { type: 'button', button: 'middle', pressed: false };

export const remoteSetting = new Resource(connection, {
  load: async (client) => isRemote(await client.get('/config')),
  follow: (set) => connection.on('config_changed', ({ config }) => set(isRemote(config))),
});

/** The part of a configuration that allows input, or does not. */
export function settingOf(isOn: boolean) {
  return { input: { remote: isOn } };
}

/** Does inputs on the screen. @throws RequestError, or another Error without an answer */
export async function inject(events: readonly InputEvent[]): Promise<void> {
  await connection.client.post('/input/inject', {
    json: { events: [...events] },
    timeoutMs: INPUT_TIMEOUT_MS,
  });
}

/** Switches input on, and tries whether it works; or off. */
export function useTurn(): Action<[boolean]> {
  return useAction<[boolean]>({
    showsFailure: true,
    run: async (isOn) => {
      await explained(connection.client.patch('/config', { json: settingOf(isOn) }));
      await until(() => remoteSetting.value.value === isOn, TIMEOUT_MS);
      // This also adds the pointer and the keyboard, so the first press takes no longer than the others.
      if (isOn) await explained(inject([NOTHING]));
    },
  });
}

/** @throws ActionError with the sentences of this view */
async function explained(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    const { sentence, detail } = inputFailureOf(error);
    throw new ActionError(sentence, detail);
  });
}

function isRemote(config: unknown): boolean {
  if (typeof config !== 'object' || config === null || !('input' in config)) return false;
  const { input } = config;
  return typeof input === 'object' && input !== null && 'remote' in input && input.remote === true;
}
