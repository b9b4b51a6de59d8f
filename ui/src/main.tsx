/** Starts the app. */
import { render } from 'preact';
import { startDevice } from './app/device-state.ts';
import { VIEW_PATHS } from './app/paths.ts';
import { navigate, path, startRouter, viewAt } from './app/router.ts';
import { rememberedHere } from './app/storage.ts';
import { startTexts } from './app/texts.ts';
import { applyTheme } from './app/theme.ts';
import { Shell } from './shell/shell.tsx';
import { loadView } from './shell/view-host.tsx';

applyTheme();
startRouter();
startDevice();
// A change of the screen that was not confirmed before this page was loaded again: its view takes it back.
if (rememberedHere('trial') !== undefined) navigate(VIEW_PATHS.screens);
// The texts and the view are fetched at the same time, since each takes a round trip.
const view = viewAt(path.value);
await Promise.all([startTexts(), view && loadView(view)]);
const root = document.getElementById('app');
if (root) render(<Shell />, root);
