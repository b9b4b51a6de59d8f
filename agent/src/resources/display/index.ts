import { branding } from '../branding/index.ts';
import { splashChanged } from '../branding/schema.ts';
import { bindGroup, NOT_APPLIED_HERE, READ_WHEN_NEEDED } from '../config/group.ts';
import { content } from '../content/index.ts';
import { deviceConfig } from '../device/config.ts';
import { network } from '../network/index.ts';
import { networkChanged } from '../network/schema.ts';
import { defineResource } from '../resource.ts';
import { bindDisplay, browserSettings } from './apply-config.ts';
import { browserConfig, displayConfig, proxyConfig } from './config.ts';
import { Display } from './display.ts';
import type { DisplayPorts } from './ports.ts';
import { displayRoutes } from './routes.ts';
import * as contract from './schema.ts';
import { SPLASH_URI, waitingPage } from './waiting-page.ts';

export interface DisplayService {
  display: Display;
  /** Restarts the browser, if one runs, for what it reads at its start only. */
  restartBrowser(): void;
}

export const display = defineResource({
  contract,
  config: [displayConfig, browserConfig, proxyConfig],
  async create({ board, bus, log, config, asset, use }, ports: DisplayPorts) {
    const splash = await use(branding);
    const { store, origin, setDisplayed } = await use(content);
    const addresses = await use(network);
    const { browser, hostServices } = ports;
    ports.pageResources.set(SPLASH_URI, () => {
      return { contentType: 'image/png', version: splash.version, read: () => splash.get('boot') };
    });
    const screen = new Display({
      ...ports,
      renderPage: async (notice) => {
        const facts = {
          name: config.get(deviceConfig).name,
          version: ports.identity.version,
          addresses: addresses.addresses(),
          splash: splash.version,
        };
        return waitingPage(String(await asset('page/waiting.html')), facts, notice);
      },
      bundles: {
        locate: (bundle) => store.locate(bundle),
        problem: (bundle) => store.checks.problem(bundle),
      },
      bundleUrl: (bundle) => origin.url(bundle),
      bus,
      config: () => config.get(displayConfig),
      browserSettings: browserSettings(config),
      clearDataOnBoot: config.get(browserConfig).clear_data_on_boot,
      log,
    });
    const onError = (error: unknown) => log.error({ err: error }, 'the display failed to take a change');
    const redraw = () => screen.waitingPageChanged();
    setDisplayed(() => screen.activeBundle);
    store.onReplaced((bundle) => screen.bundleReplaced(bundle));
    bus.on(networkChanged, redraw);
    bus.on(splashChanged, ({ kind }) => {
      if (kind === 'boot') redraw();
    });
    const turnSplash = () => {
      const { primary, configuredRotation } = screen.screens;
      if (primary) splash.turn(configuredRotation).catch(onError);
    };
    // Which screen is the primary one, and so how it is turned, may be known long after the start.
    bus.on(contract.displayState, turnSplash);
    const allow = () => hostServices?.allow(config.get(browserConfig).allow_host_services);
    return {
      service: {
        display: screen,
        restartBrowser: () => {
          if (board.ownsSystem || browser.connected) screen.restartBrowser();
        },
      },
      routes: displayRoutes(screen),
      config: [
        bindDisplay(config, screen),
        bindGroup(browserConfig, {
          script_timeout_ms: READ_WHEN_NEEDED,
          allow_host_services: hostServices ? async () => allow() : NOT_APPLIED_HERE,
        }),
        bindGroup(proxyConfig, {}),
      ],
      problems: () => [...screen.screens.problems(), ...(hostServices?.problems() ?? [])],
      start: async () => {
        void allow()?.catch(onError);
        await screen.start();
        // The file may be of a configuration that has been changed since.
        turnSplash();
      },
      stop: () => screen.stop(),
    };
  },
});
