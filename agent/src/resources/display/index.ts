import { totalmem } from 'node:os';
import { branding } from '../branding/index.ts';
import { splashChanged } from '../branding/schema.ts';
import { bindGroup, NOT_APPLIED_HERE, READ_WHEN_NEEDED } from '../config/group.ts';
import { content } from '../content/index.ts';
import { deviceConfig } from '../device/config.ts';
import { network } from '../network/index.ts';
import { networkChanged } from '../network/schema.ts';
import { page } from '../page/index.ts';
import { defineResource } from '../resource.ts';
import { bindDisplay, browserSettings, hostServicesHint } from './apply-config.ts';
import { browserConfig, displayConfig, proxyConfig } from './config.ts';
import { Display } from './display.ts';
import { OnScreenKeyboard } from './on-screen-keyboard.ts';
import { PacScript } from './pac-script.ts';
import type { DisplayPorts } from './ports.ts';
import { displayRoutes } from './routes.ts';
import * as contract from './schema.ts';
import { ScreenNotice } from './screen-notice.ts';
import { ScreenSchedule } from './screen-schedule.ts';
import { type AccessPoint, SPLASH_URI, waitingPage } from './waiting-page.ts';

export interface DisplayService {
  display: Display;
  /** Restarts the browser, if one runs, for what it reads at its start only. */
  restartBrowser(): void;
  /** Sets what tells the access point that people can join, which the waiting page shows. */
  setAccessPoint(current: () => AccessPoint | undefined): void;
  /** Shows a text above the page, in one or two lines; undefined removes it. @param text at most 200 characters */
  showNotice(text: string | undefined): void;
}

export const display = defineResource({
  async create({ board, bus, log, config, asset, use }, ports: DisplayPorts) {
    const splash = await use(branding);
    const { store, origin, setDisplayed } = await use(content);
    const addresses = await use(network);
    const { browser, hostServices } = ports;
    const { channel, serve } = await use(page);
    serve(SPLASH_URI, () => {
      return { contentType: 'image/png', version: splash.version, read: () => splash.get('boot') };
    });
    let accessPoint: () => AccessPoint | undefined = () => undefined;
    const screen = new Display({
      ...ports,
      renderPage: async (notice) => {
        const facts = {
          name: config.get(deviceConfig).name,
          version: ports.identity.version,
          addresses: addresses.addresses(),
          splash: splash.version,
          accessPoint: accessPoint(),
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
      totalBytes: totalmem(),
      scriptTimeoutMs: () => config.get(browserConfig).script_timeout_ms,
      browserSettings: () => browserSettings(config, hostServices !== undefined),
      hint: ({ kind, uri }) => {
        const isBlocked =
          kind === 'network' && hostServices && !config.get(browserConfig).allow_host_services;
        return isBlocked ? hostServicesHint(uri) : undefined;
      },
      clearDataOnBoot: config.get(browserConfig).clear_data_on_boot,
      log,
    });
    const schedule = new ScreenSchedule({
      schedule: () => config.get(displayConfig).power_schedule,
      zone: () => config.get(deviceConfig).timezone,
      request: (on) => screen.power.request(on),
      clockIsSet: ports.clockIsSet,
      memory: ports.scheduleMemory,
      log,
    });
    const { inputKinds } = ports;
    const keyboard = new OnScreenKeyboard({
      browser,
      inputKinds,
      config: () => config.get(browserConfig),
      log,
    });
    const notice = new ScreenNotice({ browser, log });
    const pacScript = new PacScript(browser);
    const applyKeyboard = () => keyboard.apply();
    const onError = (error: unknown) => log.error({ err: error }, 'the display failed to take a change');
    const redraw = () => screen.waitingPageChanged();
    bus.provideState(contract.displayState, () => screen.state());
    setDisplayed(() => screen.activeBundle);
    channel.setTarget(() => screen.isTargetThere);
    screen.onChange(() => channel.targetChanged());
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
    const apply = () => screen.browserSettingsChanged();
    const allow = () => hostServices?.allow(config.get(browserConfig).allow_host_services);
    return {
      service: {
        display: screen,
        restartBrowser: () => {
          if (board.ownsSystem || browser.connected) screen.restartBrowser();
        },
        setAccessPoint: (current: () => AccessPoint | undefined) => {
          accessPoint = current;
        },
        showNotice: (text: string | undefined) => notice.show(text),
      },
      routes: displayRoutes(screen),
      config: [
        bindDisplay(config, screen, schedule),
        bindGroup(browserConfig, apply, {
          script_timeout_ms: READ_WHEN_NEEDED,
          remote_debugging: hostServices ? apply : NOT_APPLIED_HERE,
          allow_host_services: hostServices ? async () => allow() : NOT_APPLIED_HERE,
          on_screen_keyboard: applyKeyboard,
          keyboard_layouts: applyKeyboard,
        }),
        bindGroup(proxyConfig, apply),
      ],
      problems: () => [
        ...screen.screens.problems(),
        ...screen.power.problems(),
        ...schedule.problems(),
        ...(ports.targetStore.problems?.() ?? []),
        ...(hostServices?.problems() ?? []),
        ...pacScript.problems(),
      ],
      start: async () => {
        void allow()?.catch(onError);
        keyboard.start();
        notice.start();
        await screen.start();
        await schedule.start();
        // The file may be of a configuration that has been changed since.
        turnSplash();
      },
      stop: () => {
        pacScript.stop();
        schedule.stop();
        keyboard.stop();
        notice.stop();
        screen.stop();
      },
    };
  },
});
