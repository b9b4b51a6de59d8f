import type { Texts } from './en.ts';
import { app } from './fr/app.ts';
import { audio } from './fr/audio.ts';
import { bluetooth } from './fr/bluetooth.ts';
import { certificates } from './fr/certificates.ts';
import { content } from './fr/content.ts';
import { error } from './fr/error.ts';
import { events } from './fr/events.ts';
import { input } from './fr/input.ts';
import { logs } from './fr/logs.ts';
import { maintenance } from './fr/maintenance.ts';
import { network } from './fr/network.ts';
import { nfc } from './fr/nfc.ts';
import { overview } from './fr/overview.ts';
import { page } from './fr/page.ts';
import { peripherals } from './fr/peripherals.ts';
import { remote } from './fr/remote.ts';
import { screens } from './fr/screens.ts';
import { settings } from './fr/settings.ts';
import { show } from './fr/show.ts';
import { state } from './fr/state.ts';
import { stream } from './fr/stream.ts';
import { update } from './fr/update.ts';
import { wifi } from './fr/wifi.ts';

const fr: Texts = {
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

export default fr;
