import { limitedLog } from '../../base/limited-log.ts';
import { bindGroup } from '../config/group.ts';
import { display } from '../display/index.ts';
import { nfcConfig } from '../nfc/config.ts';
import { mayUseNfc, nfc } from '../nfc/index.ts';
import { defineResource } from '../resource.ts';
import { serve } from '../route.ts';
import { peripheralsConfig } from './config.ts';
import { PagePeripherals } from './page-peripherals.ts';
import { type Grants, grantsOf, pageScript } from './page-script.ts';
import type { Rules } from './page-session.ts';
import { PeripheralsStatus } from './peripherals-status.ts';
import type { Kind, PeripheralBrowser, PeripheralInventory, PeripheralIo } from './ports.ts';
import * as contract from './schema.ts';
import { problemsOf } from './status.ts';

/** In `agent/`: the interfaces that pages get. */
const SHIMS_FILE = 'page/peripherals.js';

export interface PeripheralsPorts {
  browser: PeripheralBrowser;
  /** Undefined on a system that is not the appliance: there are no peripherals, and no programs that drive them. */
  peripheralInventory: PeripheralInventory | undefined;
  peripheralIo: Readonly<Record<Kind, PeripheralIo>> | undefined;
}

/** Peripherals that the displayed page may use. */
export const peripherals = defineResource({
  async create(
    { asset, board, bus, config, log, use },
    { browser, peripheralInventory: inventory, peripheralIo: io }: PeripheralsPorts,
  ) {
    const { display: screen } = await use(display);
    const tags = await use(nfc);
    const policy = () => config.get(peripheralsConfig);
    const rules: Rules = { policy: policy(), gadget: undefined, peripherals: [] };
    let grants: Grants = new Map();
    const status = new PeripheralsStatus({
      inventory,
      policy,
      hostPort: board.usbHostPort,
      found: (found, gadget) => {
        Object.assign(rules, { peripherals: found, gadget });
        pages?.refresh();
      },
      emit: (described) => bus.emit(contract.peripheralsChanged, described),
      log,
    });
    bus.provideState(contract.peripheralsChanged, () => status.read());
    const displayed = () => status.update(pages?.opened ?? new Map(), screen.pageOrigin);
    const pages =
      io &&
      new PagePeripherals({
        browser,
        io,
        rules: () => rules,
        reread: async () => void (await status.read()),
        isServed: (origin) => grants.has(origin),
        nfc: tags.page,
        mayUseTags: (origin) => mayUseNfc(config, origin),
        changed: displayed,
        log: limitedLog(log),
      });
    const shims = io ? (await asset(SHIMS_FILE)).toString() : '';
    /** Takes over changed rules. What a page may not use any more is closed at once; new interfaces need a new load. */
    const apply = (): void => {
      rules.policy = policy();
      grants = grantsOf({
        hasHostPort: board.usbHostPort,
        devices: rules.policy,
        nfc: config.get(nfcConfig),
      });
      if (io) browser.serveDevices([...grants.keys()], pageScript(grants, shims));
      pages?.refresh();
      status.touched();
    };
    // Before the browser connects, whose list is that of an earlier agent.
    apply();
    screen.onChange(displayed);
    const stopListening = tags.onPermissionChange(apply);
    return {
      service: undefined,
      routes: [serve(contract.getPeripherals, () => status.read())],
      config: [bindGroup(peripheralsConfig, apply)],
      problems: () => problemsOf(policy(), board.usbHostPort),
      start: () => {
        displayed();
        status.start();
      },
      ready: () => void pages?.stopPrograms(),
      stop: async () => {
        stopListening();
        status.stop();
        await pages?.stop();
      },
    };
  },
});
