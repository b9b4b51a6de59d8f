/** The sound of the device. */
import type { ResponseOf } from '../../../../client/contract.ts';
import { until } from '../../app/actions.ts';
import { fieldOf } from '../../app/config-values.ts';
import { connection } from '../../app/device-state.ts';
import { Resource } from '../../app/resource.ts';

export type Audio = ResponseOf<'GET', '/audio'>;

/** Streams that are playing move to another output. */
const RESULT_MS = 15_000;

const { client } = connection;

/** Outputs come and go without an event, so they are read whenever the device tells how it is. */
export const audio = new Resource<Audio>(connection, {
  load: (link) => link.get('/audio'),
  refreshOn: ['config_changed', 'health'],
});

/** What is configured, while `audio` has what is used. */
export interface Chosen {
  /** Null: the device decides. */
  readonly output: string | null;
}

export const chosen = new Resource<Chosen>(connection, {
  load: async (link) => chosenIn(await link.get('/config')),
  follow: (set) => connection.on('config_changed', ({ config }) => set(chosenIn(config))),
});

function chosenIn(config: unknown): Chosen {
  const output = fieldOf(config, 'audio', 'output');
  return { output: typeof output === 'string' ? output : null };
}

/** @param output null: the device decides */
export async function playOn(output: string | null): Promise<void> {
  await client.patch('/config', { json: { audio: { output } } });
  await audio.refresh();
  await until(
    () => chosen.value.value?.output === output && (output === null || audio.value.value?.output === output),
    RESULT_MS,
  );
}

/** @param volume 0 to 100 */
export async function setVolume(volume: number): Promise<void> {
  await client.post('/audio', { json: { volume } });
  await audio.refresh();
  await until(() => audio.value.value?.volume === volume, RESULT_MS);
}

export async function setMute(mute: boolean): Promise<void> {
  await client.post('/audio', { json: { mute } });
  await audio.refresh();
  await until(() => audio.value.value?.mute === mute, RESULT_MS);
}
