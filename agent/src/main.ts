/** Composition root: builds adapters, resources and links in plain code and stops them in reverse order. */
import { totalmem } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { sweepTemporaryFiles } from './base/atomic-file.ts';
import { createLogger, type Logger } from './base/logger.ts';
import { BoardFileError } from './boards/board-file.ts';
import { ApiError } from './contract/errors.ts';
import { EventBus } from './events/bus.ts';
import { type Flags, readFlags, USAGE } from './flags.ts';
import { createApp } from './links/app.ts';
import { createGuard } from './links/guard.ts';
import { listen, plainServer } from './links/http.ts';
import { HttpsLink } from './links/https.ts';
import { SerialLink } from './links/serial/link.ts';
import { openSerialPort } from './links/serial/port.ts';
import { systemShell } from './links/serial/shell.ts';
import { EventSocket, refusePlainEvents } from './links/socket.ts';
import { serveUi } from './links/ui.ts';
import { endpoints } from './resources/all.ts';
import { bluetoothRoutes } from './resources/bluetooth/routes.ts';
import { splashRoutes } from './resources/branding/routes.ts';
import { Splash } from './resources/branding/splash.ts';
import { Certificates } from './resources/certificates/certificates.ts';
import { certificateRoutes } from './resources/certificates/routes.ts';
import { configRoutes } from './resources/config/routes.ts';
import { ConfigStore } from './resources/config/store.ts';
import { contentRoutes } from './resources/content/routes.ts';
import { BundleOrigin } from './resources/content/serving/bundle-origin.ts';
import { ContentStore } from './resources/content/store.ts';
import { CLOCK_PATHS, startClock } from './resources/device/clock.ts';
import { Device } from './resources/device/device.ts';
import { HealthMonitor } from './resources/device/health.ts';
import type { Power } from './resources/device/ports.ts';
import { deviceRoutes } from './resources/device/routes.ts';
import { applyDisplayConfig } from './resources/display/apply-config.ts';
import { Display } from './resources/display/display.ts';
import type { Kiosk } from './resources/display/ports.ts';
import { displayRoutes } from './resources/display/routes.ts';
import { displayState } from './resources/display/schema.ts';
import { displaySettings } from './resources/display/settings.ts';
import { SPLASH_URI, WaitingPage } from './resources/display/waiting-page.ts';
import { documentRoutes } from './resources/document/routes.ts';
import { Network } from './resources/network/network.ts';
import { networkRoutes } from './resources/network/routes.ts';
import { nfcRoutes } from './resources/nfc/routes.ts';
import { Operations } from './resources/operations/operations.ts';
import { operationRoutes } from './resources/operations/routes.ts';
import { BootConfirmation } from './resources/update/boot-confirmation.ts';
import { wifiRoutes } from './resources/wifi/routes.ts';
import { asset } from './system/assets.ts';
import { BrowserSocket } from './system/browser.ts';
import { BrowserFolder, fullnessProblems } from './system/browser-data.ts';
import { groupMemory } from './system/browser-memory.ts';
import { WaylandCompositor } from './system/compositor.ts';
import {
  dataPartitionProblems,
  initramfsDataReset,
  proveLasting,
  readOnlyProblems,
} from './system/data-partition.ts';
import { SystemBus } from './system/dbus.ts';
import { FileSystemSpace } from './system/disk-space.ts';
import { Drm } from './system/drm.ts';
import { Firewall } from './system/firewall.ts';
import { linuxHardware } from './system/hardware.ts';
import { readIdentity } from './system/identity.ts';
import { systemdJournal } from './system/journal.ts';
import { logindPower } from './system/logind.ts';
import { linuxNetwork } from './system/network.ts';
import { ServiceManager } from './system/notify.ts';
import { raucSlots } from './system/rauc.ts';
import { openSerialDevice } from './system/serial-device.ts';
import { runService, SystemdUnit } from './system/systemd-units.ts';
import { bootId, TargetFile } from './system/target-file.ts';
import { TimeZoneLink } from './system/time-zone.ts';
import { timesyncd } from './system/timesyncd.ts';
import { NodeTrust } from './system/trust.ts';
import { linuxVitals } from './system/vitals.ts';

/** Each step down may take so long, in ms; then the next one begins. */
const STOP_STEP_MS = 3000;

/** A screen that is not there after this time is none, in ms; drivers load late and monitors wake slowly. */
const SCREENLESS_MS = 120_000;
/** Field of the configuration that needs the firewall, which a computer that is not the appliance has not. */
const HOST_SERVICES = 'browser.allow_host_services';

/** A computer that is not the appliance has no kiosk of ours, though it may have a browser that connects. */
const NO_KIOSK: Kiosk = { installed: false, restart: async () => undefined };

/** Nor is it ours to turn off. */
const NO_POWER: Power = {
  check: async () => {
    throw new ApiError('unavailable', 'This computer is not the appliance itself.');
  },
  perform: async () => undefined,
};

type Stop = () => void | Promise<void>;

/** @param stops takes what ends each started thing, also of a start that fails half-way */
async function start(flags: Flags, log: Logger, stops: Stop[]): Promise<void> {
  const onError = (error: unknown) => log.error({ err: error }, 'background task failed');
  const { board, listen: addresses, name } = flags;
  const { dataFolder, runtimeFolder } = board;

  // The outside.
  const service = new ServiceManager({ log });
  const dbus = new SystemBus({ log });
  stops.push(() => dbus.stop());
  const identity = await readIdentity({ runtimeFolder, packageVersion: packageJson.version });
  const power = board.ownsSystem ? logindPower(dbus) : NO_POWER;
  const hardware = linuxHardware();
  const browser = new BrowserSocket(join(runtimeFolder, 'browser.sock'), log, (uri) => resource(uri));
  const firewallUnit = new SystemdUnit('vitrine-firewall.service');
  const firewall = new Firewall(join(runtimeFolder, 'firewall'), () => firewallUnit.reload());
  const dataProblems = board.ownsSystem ? await dataPartitionProblems(runtimeFolder) : [];

  const disk = new FileSystemSpace(dataFolder);
  const browserFolder = join(dataFolder, 'kiosk');

  // Resources. Each sweeps its own folder; several keep a file in this one.
  await sweepTemporaryFiles(dataFolder);
  const bus = new EventBus();
  const operations = new Operations(bus);
  const config: ConfigStore = await ConfigStore.open({
    folder: dataFolder,
    bus,
    log,
    board,
    screens: () => display.screens(),
    deviceName: name,
    notApplied: board.ownsSystem ? [] : [...CLOCK_PATHS, HOST_SERVICES],
  });
  const network = new Network({ bus, source: linuxNetwork({ dbus, log }) });
  const splash = await Splash.open({
    folder: join(dataFolder, 'splash'),
    builtIn: () => asset('page/splash.png'),
    disk,
    bus,
    log,
  });
  const waitingPage = new WaitingPage(
    () => asset('page/waiting.html'),
    () => ({
      name: config.get().device.name,
      version: identity.version,
      addresses: network.addresses(),
      splash: splash.version,
    }),
  );
  /** What pages find under `vitrine:`. */
  const resource = async (uri: string) =>
    uri.split('?', 1)[0] === SPLASH_URI
      ? { contentType: 'image/png', version: splash.version, read: () => splash.get('boot') }
      : undefined;
  const content = await ContentStore.open({
    folder: join(dataFolder, 'content'),
    operations,
    isActive: (bundle) => display.activeBundle === bundle,
    log,
    disk,
  });
  stops.push(() => content.close());
  const origin = new BundleOrigin({
    createServer: plainServer,
    port: board.contentPort,
    active: () => display.activeBundle,
    locate: (bundle) => content.locate(bundle),
    log,
  });
  const settings = displaySettings(config.get(), totalmem());
  const display: Display = new Display({
    browser,
    compositor: new WaylandCompositor(),
    kiosk: board.ownsSystem ? new SystemdUnit('vitrine-kiosk.service') : NO_KIOSK,
    browserData: board.ownsSystem ? new BrowserFolder(browserFolder) : undefined,
    connectors: new Drm(board.screens),
    store: new TargetFile(runtimeFolder, dataFolder, await bootId()),
    page: waitingPage,
    bundles: {
      locate: (bundle) => content.locate(bundle),
      problem: (bundle) => content.problem(bundle),
      url: (bundle) => origin.url(bundle),
    },
    bus,
    settings,
    log,
  });
  const slots = new BootConfirmation({
    slots: raucSlots(dbus, board.ownsSystem),
    checks: [
      { name: 'data partition', pass: () => proveLasting(dataFolder, runtimeFolder) },
      { name: 'first frame', pass: () => firstFrame(display) },
    ],
    log,
  });
  const health = new HealthMonitor({
    bus,
    vitals: linuxVitals({ dataFolder }),
    browser: {
      health: async () => {
        const { pid, ...rest } = display.browserHealth;
        return { ...rest, pid, rss_bytes: pid === null ? null : await groupMemory(pid) };
      },
    },
    intervalMs: () => config.get().device.health_interval_ms,
    problems: () => [
      ...dataProblems,
      ...readOnlyProblems(dataFolder),
      ...(board.ownsSystem ? fullnessProblems(dataFolder, browserFolder) : []),
      ...(config.problem ? [config.problem.message] : []),
      ...slots.problems(),
      ...certificates.problems(),
      ...content.problems(),
      ...display.problems(),
      ...firewall.problems(),
    ],
    onError,
  });
  const device = new Device({
    bus,
    identity,
    profile: board.profile,
    name: () => config.get().device.name,
    hardware,
    journal: systemdJournal({ log }),
    power,
    dataReset: initramfsDataReset({ flag: board.factoryResetFlag, runtimeFolder, runService }),
    onError,
  });
  stops.push(() => health.stop());
  stops.push(() => device.stop());
  const turnSplash = () => {
    if (display.primaryScreen !== undefined) splash.turn(display.rotation).catch(onError);
  };
  applyDisplayConfig(config, display, (now) => {
    // What the browser is told at its start stays; a reboot takes the rest over.
    return { ...displaySettings(now, totalmem()), browser: settings.browser };
  });
  // Which screen is the primary one, and so how it is turned, may be known long after the start.
  bus.on(displayState, () => turnSplash());
  if (board.ownsSystem) {
    const allow = () => firewall.allowHostServices(config.get().browser.allow_host_services);
    config.onApply(HOST_SERVICES, allow);
    allow().catch(onError);
  }
  config.onApply('device.health_interval_ms', () => health.periodChanged());
  config.onApply('device.name', () => display.waitingPageChanged());
  splash.onChange((kind) => {
    if (kind === 'boot') display.waitingPageChanged().catch(onError);
  });
  content.onReplaced((bundle) => {
    display.bundleReplaced(bundle);
    origin.closeUnused();
  });
  content.onRead((bundle) => display.bundleRead(bundle).catch(onError));
  content.onRemoved(() => origin.closeUnused());
  network.onChange(() => display.waitingPageChanged().catch(onError));

  // Links.
  const guard = createGuard(
    () => network.get().hostname,
    (host) => certificates.isServerName(host),
  );
  const hasRadio = async (kind: 'wifi' | 'bluetooth') =>
    board.managesRadios && (await device.get()).capabilities[kind];
  /** For what the browser reads at its start only. */
  const restartBrowser = () => {
    if (board.ownsSystem || browser.connected) display.restartBrowser();
  };
  const certificates: Certificates = new Certificates({
    folder: join(dataFolder, 'certificates'),
    https: { apply: (certificate) => https.apply(certificate) },
    trust: new NodeTrust(),
    trustChanged: restartBrowser,
    log,
  });
  const app = createApp({
    endpoints,
    routes: [
      ...deviceRoutes(device, health),
      ...networkRoutes(network),
      ...displayRoutes(display),
      ...contentRoutes(content),
      ...splashRoutes(splash),
      ...certificateRoutes(certificates),
      ...configRoutes(config),
      ...operationRoutes(operations),
      ...nfcRoutes(config),
      ...wifiRoutes(config, () => hasRadio('wifi')),
      ...bluetoothRoutes(config, () => hasRadio('bluetooth')),
      ...documentRoutes(asset),
    ],
    log,
    guard,
  });
  refusePlainEvents(app);
  serveUi(app, { isEnabled: () => config.get().ui.enabled, read: asset });
  const events = new EventSocket({ bus, log, guard });
  const https = new HttpsLink({ app, addresses: flags.listenHttps, upgrade: events.upgrade, log });

  // From here on things run.
  await browser.start();
  stops.push(() => browser.stop());
  await origin.start();
  stops.push(() => origin.stop());
  await display.start();
  // The file may be of a configuration that is no more.
  turnSplash();
  stops.push(() => display.stop());
  if (board.ownsSystem) {
    const zone = new TimeZoneLink(join(dataFolder, 'state/localtime'));
    const servers = timesyncd(dbus);
    stops.push(await startClock({ config, zone, servers, zoneChanged: restartBrowser }));
  }
  network.start();
  stops.push(() => network.stop());
  // Whoever finds HTTP finds HTTPS, too.
  await certificates.start();
  const http = await listen(app, addresses, events.upgrade);
  stops.push(() => app.close());
  stops.push(() => http.close());
  stops.push(() => https.close());
  stops.push(() => events.close());
  for (const path of board.serialLines) {
    const link = new SerialLink({
      app,
      endpoints,
      bus,
      log,
      identity: () => ({ serial: identity.serial, name: config.get().device.name }),
      openPort: (handler) => openSerialPort({ path, handler, log, openDevice: openSerialDevice }),
      ...(board.ownsSystem ? { shellCommand: systemShell() } : {}),
    });
    stops.push(() => link.close());
  }
  slots.start();
  stops.push(() => slots.stop());
  service.ready(`serving ${http.addresses.join(', ')}`);
  stops.push(() => service.stopping());
  // What takes its time is not to keep the unit from being started.
  void content.start();
  announce(http.addresses, board.serialLines);
}

/** A device without a screen paints nothing, and its slot is good all the same. */
async function firstFrame(display: Display): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), SCREENLESS_MS);
  const first = await Promise.race([display.firstFrame, late]);
  clearTimeout(timer);
  if (first === 'late' && (await display.hasScreen())) throw new Error('the screen has shown no frame yet');
}

/** One line on standard output for whoever started the agent: it answers there from now on. */
function announce(addresses: readonly string[], serial: readonly string[]): void {
  const api = addresses.map((address) => `${address}/api/v1`);
  console.log(JSON.stringify({ type: 'ready', api, serial }));
}

async function withinTime(stop: Stop, log: Logger): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, STOP_STEP_MS);
  try {
    await Promise.race([stop(), late]);
  } catch (error) {
    log.error({ err: error }, 'a part of the agent did not end well');
  } finally {
    clearTimeout(timer);
  }
}

async function run(): Promise<void> {
  let flags: Flags;
  try {
    flags = readFlags(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    if (error instanceof BoardFileError) {
      process.exitCode = 1;
      return;
    }
    console.error(USAGE);
    process.exitCode = 2;
    return;
  }
  const log = createLogger('info');
  const stops: Stop[] = [];
  let stopping = false;
  const stop = async (code: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    for (const step of stops.reverse()) await withinTime(step, log);
    process.exit(code);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(0));
  try {
    await start(flags, log, stops);
  } catch (error) {
    log.fatal({ err: error }, 'the agent cannot start');
    await stop(1);
  }
}

await run();
