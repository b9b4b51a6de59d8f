import type { Texts } from './en.ts';
import { app } from './es/app.ts';
import { audio } from './es/audio.ts';
import { bluetooth } from './es/bluetooth.ts';
import { certificates } from './es/certificates.ts';
import { content } from './es/content.ts';
import { error } from './es/error.ts';
import { events } from './es/events.ts';
import { input } from './es/input.ts';
import { logs } from './es/logs.ts';
import { maintenance } from './es/maintenance.ts';
import { network } from './es/network.ts';
import { nfc } from './es/nfc.ts';
import { overview } from './es/overview.ts';
import { page } from './es/page.ts';
import { peripherals } from './es/peripherals.ts';
import { remote } from './es/remote.ts';
import { screens } from './es/screens.ts';
import { settings } from './es/settings.ts';
import { show } from './es/show.ts';
import { state } from './es/state.ts';
import { stream } from './es/stream.ts';
import { update } from './es/update.ts';
import { wifi } from './es/wifi.ts';

const es: Texts = {
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

export default es;
