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
  { title: 'nav.screen', views: ['overview', 'show'] },
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
};
