/** The state of the view: the configuration, its schema, and what the user has not sent yet. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { connection } from '../../app/device-state.ts';
import { ActionError } from '../../app/failure.ts';
import { Resource } from '../../app/resource.ts';
import { remember, remembered } from '../../app/storage.ts';
import { t } from '../../app/texts.ts';
import type { Drafts } from './drafts.ts';
import { isObject, type JsonObject } from './json.ts';
import { type Baseline, type Boot, baselineFor, bootOf, readBaseline } from './restart.ts';
import { type Field, type Group, groupsOf } from './schema.ts';
import { readYaml } from './yaml.ts';

/** A quarter of a megabyte over a slow link. */
const DOWNLOAD_MS = 120_000;

export const config = new Resource<JsonObject>(connection, {
  load: async (client) => treeOf(await client.get('/config')),
  follow: (set) => connection.on('config_changed', (event) => set(treeOf(event.config))),
});

let described: { version: string; groups: Group[] } | undefined;

/** The groups of the configuration, which are read once for each version of the firmware. */
export const schema = new Resource<readonly Group[]>(connection, {
  load: async (client) => {
    const { version } = await client.get('/device');
    if (described?.version === version) return described.groups;
    const groups = groupsIn(await client.download('/openapi.yaml', { timeoutMs: DOWNLOAD_MS }));
    described = { version, groups };
    return groups;
  },
});

/** Changes in the fields, by name. They stay when another view is shown. */
export const drafts = signal<Drafts>(new Map());

/** The document that the user edits, and the configuration when that began. */
export const edited = signal<{ text: string; base: JsonObject } | undefined>(undefined);

/** What was in effect at the last boot; undefined until the device has said when that was. */
export const baseline = signal<Baseline | undefined>(undefined);

const BASELINE = 'settings_boot';

export function keepBaseline(kept: Baseline): void {
  baseline.value = kept;
  remember(BASELINE, JSON.stringify(kept));
}

/** Finds out whether the device was restarted, now and after each reconnect. */
export function useBaseline(fields: readonly Field[], tree: JsonObject): void {
  const [boot, setBoot] = useState<Boot>();
  useEffect(() => {
    let isUsed = true;
    const ask = async () => {
      try {
        const { uptime_s } = await connection.client.get('/device/health');
        if (isUsed) setBoot(bootOf(uptime_s, Date.now()));
      } catch {
        // It is asked again after the next connection.
      }
    };
    const stop = connection.onOpen(() => void ask());
    return () => {
      isUsed = false;
      stop();
    };
  }, []);
  useEffect(() => {
    if (!boot) return;
    const before = baseline.peek() ?? readBaseline(remembered(BASELINE));
    keepBaseline(baselineFor(before, boot, fields, tree));
  }, [boot, fields]);
}

function groupsIn(bytes: Uint8Array): Group[] {
  try {
    return groupsOf(readYaml(new TextDecoder().decode(bytes)));
  } catch {
    throw new ActionError(t('settings.schema_unreadable'));
  }
}

/** The API has the configuration as any object. */
function treeOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
