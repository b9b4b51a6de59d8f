/** The device's state, for all views. A view of a special part (Wi-Fi, NFC …) makes its own {@link Resource}. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ResponseOf } from '../../../client/contract.ts';
import { Connection } from './connection.ts';
import { Resource } from './resource.ts';

export type Device = ResponseOf<'GET', '/device'>;
export type DisplayState = ResponseOf<'GET', '/display'>;
export type Health = ResponseOf<'GET', '/device/health'>;
export type Network = ResponseOf<'GET', '/network'>;
export type Content = ResponseOf<'GET', '/content'>;

export const connection = new Connection(`${location.origin}/api/v1`);

export const device = new Resource(connection, {
  load: (client) => client.get('/device'),
  refreshOn: ['config_changed'],
});
export const display = new Resource(connection, {
  load: (client) => client.get('/display'),
  follow: (set) => connection.on('display_state', set),
});
export const health = new Resource(connection, {
  load: (client) => client.get('/device/health'),
  follow: (set) => connection.on('health', set),
});
export const network = new Resource(connection, {
  load: (client) => client.get('/network'),
  follow: (set) => connection.on('network_changed', set),
});
export const content = new Resource(connection, {
  load: (client) => client.get('/content'),
  refreshOn: ['operation', 'display_state'],
});

/** The state of a resource while a component is shown. */
export function useResource<T>(resource: Resource<T>): Resource<T> {
  useEffect(() => resource.use(), [resource]);
  return resource;
}

const first = signal<string | undefined>(undefined);

/** The version that this page was loaded with, for telling whether the device was updated under it. */
export const loadedVersion: ReadonlySignal<string | undefined> = first;

/** Connects, and keeps what the frame of the app shows up to date. */
export function startDevice(): void {
  device.use();
  display.use();
  health.use();
  device.value.subscribe((value) => {
    first.value ??= value?.version;
  });
  connection.start();
  addEventListener('online', connection.retry);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') connection.retry();
  });
}
