/** The device's log, while a component shows it. What was read stays for the next visit. */
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { connection } from '../../app/device-state.ts';
import { Resource } from '../../app/resource.ts';
import { Stream } from '../../parts/stream/stream.ts';
import { LogFeed } from './log-feed.ts';

/** How many records are read from the device: the most that it gives at once. */
export const STORED = 1000;

export const logStream = new Stream();
const feed = new LogFeed(logStream);
/** What the feed has got: an answer, or why there was none. The resource keeps both from visit to visit. */
const taken: { records?: unknown; error?: unknown } = {};

/** The newest records that the device has stored. */
export const stored = new Resource(connection, {
  load: (client) => client.get('/device/logs', { query: { limit: STORED } }),
});

/** Follows the log. Live records are asked for before the stored ones, so that none is between them. */
export function useLog(): void {
  useEffect(() => {
    const stops = [
      connection.on('log', (record) => feed.live(record)),
      connection.onOpen(() => feed.begin()),
      stored.use(),
      effect(() => {
        const records = stored.value.value;
        if (!records || records === taken.records) return;
        taken.records = records;
        feed.stored(records);
      }),
      effect(() => {
        const error = stored.error.value;
        if (error === undefined || error === taken.error) return;
        taken.error = error;
        feed.failed();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
}
