/** What the configuration says about what is shown when the device starts. */
import { type Action, until, useAction } from '../../app/actions.ts';
import { connection } from '../../app/device-state.ts';
import { Resource } from '../../app/resource.ts';

export interface Boot {
  /** The bundle that is shown; null for none. It may not exist. */
  readonly bundle: string | null;
  /** Whether what was shown last comes first. */
  readonly resumes: boolean;
}

export const boot = new Resource<Boot>(connection, {
  load: async (client) => bootIn(await client.get('/config')),
  follow: (set) => connection.on('config_changed', ({ config }) => set(bootIn(config))),
});

const TIMEOUT_MS = 15_000;

/** An action that sets the bundle that is shown at boot. @param wanted null for none */
export function useBootAction(wanted: string | null): Action {
  return useAction({
    showsFailure: true,
    run: async () => {
      await connection.client.patch('/config', { json: { display: { boot_bundle: wanted } } });
      await until(() => boot.value.value?.bundle === wanted, TIMEOUT_MS);
    },
  });
}

function bootIn(config: unknown): Boot {
  const { boot_bundle: bundle, resume_on_boot: resumes } = fieldsOf(fieldsOf(config).display);
  return { bundle: typeof bundle === 'string' ? bundle : null, resumes: resumes === true };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
