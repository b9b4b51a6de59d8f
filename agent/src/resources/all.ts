import { validator } from '../validation/validator.ts';
import { audio } from './audio/index.ts';
import { bluetooth } from './bluetooth/index.ts';
import { branding } from './branding/index.ts';
import { certificates } from './certificates/index.ts';
import { configResource } from './config/index.ts';
import { content } from './content/index.ts';
import { configuration, endpoints } from './contract.ts';
import { device } from './device/index.ts';
import { diagnostics } from './diagnostics/index.ts';
import { discovery } from './discovery/index.ts';
import { display } from './display/index.ts';
import { document } from './document/index.ts';
import { input } from './input/index.ts';
import { network } from './network/index.ts';
import { nfc } from './nfc/index.ts';
import { operations } from './operations/index.ts';
import { page } from './page/index.ts';
import { peripherals } from './peripherals/index.ts';
import { ui } from './ui/index.ts';
import { update } from './update/index.ts';
import { wifi } from './wifi/index.ts';

/** Every resource, in the order in which they start. A new one gets its line here and in contract.ts. */
export const resources = [
  device,
  network,
  discovery,
  display,
  page,
  content,
  branding,
  certificates,
  audio,
  update,
  operations,
  input,
  nfc,
  wifi,
  bluetooth,
  peripherals,
  ui,
  document,
  diagnostics,
  configResource(configuration),
] as const;

// The build compiles the validators that exist when the modules are loaded.
validator(configuration.Config);
for (const { params, query, body } of endpoints) {
  for (const part of [params, query, body]) if (part) validator(part);
}
