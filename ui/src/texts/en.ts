/**
 * Every text of the app, in English: the source of the other languages. Keys are `part.what`; `{name}` is filled in. A text
 * that depends on a number has the keys `_one` and `_other`.
 */
import { app } from './en/app.ts';
import { audio } from './en/audio.ts';
import { bluetooth } from './en/bluetooth.ts';
import { certificates } from './en/certificates.ts';
import { content } from './en/content.ts';
import { error } from './en/error.ts';
import { events } from './en/events.ts';
import { input } from './en/input.ts';
import { logs } from './en/logs.ts';
import { maintenance } from './en/maintenance.ts';
import { network } from './en/network.ts';
import { nfc } from './en/nfc.ts';
import { overview } from './en/overview.ts';
import { page } from './en/page.ts';
import { peripherals } from './en/peripherals.ts';
import { remote } from './en/remote.ts';
import { screens } from './en/screens.ts';
import { settings } from './en/settings.ts';
import { show } from './en/show.ts';
import { state } from './en/state.ts';
import { stream } from './en/stream.ts';
import { update } from './en/update.ts';
import { wifi } from './en/wifi.ts';

const en = {
  ...app,
  ...error,
  ...state,
  ...stream,
  ...overview,
  ...show,
  ...remote,
  ...content,
  ...screens,
  ...audio,
  ...input,
  ...network,
  ...wifi,
  ...bluetooth,
  ...nfc,
  ...peripherals,
  ...certificates,
  ...page,
  ...logs,
  ...events,
  ...update,
  ...settings,
  ...maintenance,
};

/** What every language has. */
export type Texts = Record<keyof typeof en, string>;
export default en;
