import { app } from './de/app.ts';
import { audio } from './de/audio.ts';
import { bluetooth } from './de/bluetooth.ts';
import { certificates } from './de/certificates.ts';
import { content } from './de/content.ts';
import { error } from './de/error.ts';
import { events } from './de/events.ts';
import { input } from './de/input.ts';
import { logs } from './de/logs.ts';
import { maintenance } from './de/maintenance.ts';
import { network } from './de/network.ts';
import { nfc } from './de/nfc.ts';
import { overview } from './de/overview.ts';
import { page } from './de/page.ts';
import { peripherals } from './de/peripherals.ts';
import { remote } from './de/remote.ts';
import { screens } from './de/screens.ts';
import { settings } from './de/settings.ts';
import { show } from './de/show.ts';
import { state } from './de/state.ts';
import { stream } from './de/stream.ts';
import { update } from './de/update.ts';
import { wifi } from './de/wifi.ts';
import type { Texts } from './en.ts';

const de: Texts = {
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

export default de;
