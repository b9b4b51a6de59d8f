/**
 * What is behind each path of paths.ts, in the order of the navigation. A view is a component in `views/NAME/`, loaded
 * when it is shown; its title is a text with the key that is given here.
 */
import type { ComponentType } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import type { ViewName } from './paths.ts';
import type { TextKey } from './texts.ts';

export interface ViewEntry {
  readonly title: TextKey;
  readonly icon: IconName;
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** The groups of the navigation with their views. */
export const GROUPS: readonly { readonly title: TextKey; readonly views: readonly ViewName[] }[] = [
  {
    title: 'nav.screen',
    views: ['overview', 'show', 'remote', 'content', 'screens', 'audio', 'input'],
  },
  { title: 'nav.connections', views: ['network', 'wifi', 'bluetooth', 'nfc', 'peripherals', 'certificates'] },
  { title: 'nav.diagnosis', views: ['page', 'logs', 'events'] },
  { title: 'nav.device', views: ['update', 'settings', 'maintenance'] },
];

export const VIEWS: Readonly<Record<ViewName, ViewEntry>> = {
  overview: {
    title: 'overview.title',
    icon: 'overview',
    load: () => import('../views/overview/overview.tsx'),
  },
  show: {
    title: 'show.title',
    icon: 'show',
    load: () => import('../views/show/show.tsx'),
  },
  remote: {
    title: 'remote.title',
    icon: 'remote',
    load: () => import('../views/remote/remote.tsx'),
  },
  content: {
    title: 'content.title',
    icon: 'content',
    load: () => import('../views/content/content.tsx'),
  },
  screens: {
    title: 'screens.title',
    icon: 'screens',
    load: () => import('../views/screens/screens.tsx'),
  },
  audio: {
    title: 'audio.title',
    icon: 'audio',
    load: () => import('../views/audio/audio.tsx'),
  },
  input: {
    title: 'input.title',
    icon: 'input',
    load: () => import('../views/input/input.tsx'),
  },
  network: {
    title: 'network.title',
    icon: 'network',
    load: () => import('../views/network/network.tsx'),
  },
  wifi: {
    title: 'wifi.title',
    icon: 'wifi',
    load: () => import('../views/wifi/wifi.tsx'),
  },
  bluetooth: {
    title: 'bluetooth.title',
    icon: 'bluetooth',
    load: () => import('../views/bluetooth/bluetooth.tsx'),
  },
  nfc: {
    title: 'nfc.title',
    icon: 'nfc',
    load: () => import('../views/nfc/nfc.tsx'),
  },
  peripherals: {
    title: 'peripherals.title',
    icon: 'peripherals',
    load: () => import('../views/peripherals/peripherals.tsx'),
  },
  certificates: {
    title: 'certificates.title',
    icon: 'certificates',
    load: () => import('../views/certificates/certificates.tsx'),
  },
  page: {
    title: 'page.title',
    icon: 'page',
    load: () => import('../views/page/page.tsx'),
  },
  logs: {
    title: 'logs.title',
    icon: 'logs',
    load: () => import('../views/logs/logs.tsx'),
  },
  events: {
    title: 'events.title',
    icon: 'events',
    load: () => import('../views/events/events.tsx'),
  },
  update: {
    title: 'update.title',
    icon: 'update',
    load: () => import('../views/update/update.tsx'),
  },
  settings: {
    title: 'settings.title',
    icon: 'settings',
    load: () => import('../views/settings/settings.tsx'),
  },
  maintenance: {
    title: 'maintenance.title',
    icon: 'maintenance',
    load: () => import('../views/maintenance/maintenance.tsx'),
  },
};
