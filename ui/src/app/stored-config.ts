/** The device's configuration, for views that show or change a part of it. */
import { connection } from './device-state.ts';
import { ActionError } from './failure.ts';
import { Resource } from './resource.ts';
import { t } from './texts.ts';

/** The whole document; the contract describes it by a schema only, so views read their values out of it. */
export const storedConfig = new Resource<unknown>(connection, {
  load: (client) => client.get('/config'),
  follow: (set) => connection.on('config_changed', ({ config }) => set(config)),
});

export interface StoreOptions {
  /** Whether it is enough that the values are stored, also if they are not in effect yet. */
  mayWait?: boolean;
}

/**
 * Changes a part of the configuration. Resolves when {@link storedConfig} has it.
 * @param patch a merge patch (RFC 7396)
 * @throws RequestError if the device refuses it; ActionError if it is stored and could not be put into effect
 */
export async function storeConfig(
  patch: Record<string, unknown>,
  { mayWait = false }: StoreOptions = {},
): Promise<void> {
  const { applied } = await connection.client.patch('/config', { json: patch });
  await storedConfig.refresh();
  if (!mayWait && Object.values(applied).includes('reboot_required')) {
    throw new ActionError(t('error.not_applied'));
  }
}
