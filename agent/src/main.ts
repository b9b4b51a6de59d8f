/** Composition root: creates the adapters, the resources and the links, and stops them in the reverse order. */

import packageJson from '../../package.json' with { type: 'json' };
import { createAdapters } from './adapters.ts';
import { sweepTemporaryFiles } from './base/atomic-file.ts';
import { ownNames } from './base/cable.ts';
import { createLogger, type Logger } from './base/logger.ts';
import { errorMessage } from './base/system-error.ts';
import { withTimeout } from './base/timeout.ts';
import { UnexpectedErrors } from './base/unexpected-errors.ts';
import { BoardFileError } from './boards/board-file.ts';
import { EventBus } from './events/bus.ts';
import { type Flags, readFlags, USAGE } from './flags.ts';
import { createApp } from './links/app.ts';
import { createGuard } from './links/guard.ts';
import { listen } from './links/http.ts';
import { SerialLink } from './links/serial/link.ts';
import { openSerialPort } from './links/serial/port.ts';
import { systemShell } from './links/serial/shell.ts';
import { EventSocket, refusePlainEvents } from './links/socket.ts';
import { serveUi } from './links/ui.ts';
import { WebApp } from './links/web-app.ts';
import { resources } from './resources/all.ts';
import { certificates } from './resources/certificates/index.ts';
import { ConfigStore } from './resources/config/store.ts';
import { configuration, endpoints, topics } from './resources/contract.ts';
import { deviceConfig } from './resources/device/config.ts';
import { network } from './resources/network/index.ts';
import { page } from './resources/page/index.ts';
import { Resources } from './resources/resource.ts';
import { ui } from './resources/ui/index.ts';
import { asset } from './system/assets.ts';
import { FileSystemSpace } from './system/disk-space.ts';
import { knownKeyboardLayouts } from './system/keyboard-layout.ts';
import { ServiceManager } from './system/notify.ts';
import { keepRestartDelaysShort } from './system/restart-delays.ts';
import { openSerialDevice } from './system/serial-device.ts';
import { knownTimeZones } from './system/time-zone.ts';

/** Longest time that one step of stopping may take, in ms; then the next one begins. */
const STOP_STEP_MS = 3000;

type Stop = () => void | Promise<void>;

/** @param stops gets what stops each started part, also when the start fails half-way */
async function start(flags: Flags, log: Logger, failures: UnexpectedErrors, stops: Stop[]): Promise<void> {
  const { board, listen: addresses, name } = flags;
  const service = new ServiceManager({ log });
  const adapters = await createAdapters(flags, packageJson.version, log, failures);
  stops.push(() => adapters.dbus.stop());
  const bus = new EventBus(topics);
  // Several resources keep a file in this folder; those with a folder of their own sweep it themselves.
  await sweepTemporaryFiles(board.dataFolder);
  const config = await ConfigStore.open({
    folder: board.dataFolder,
    contract: configuration,
    bus,
    log,
    board: {
      ...board,
      hasTimeZone: knownTimeZones(board.ownsSystem),
      hasKeyboardLayout: knownKeyboardLayouts(board.ownsSystem),
    },
    ...(name === undefined ? {} : { defaults: { device: { name } } }),
  });
  const disk = new FileSystemSpace(board.dataFolder);
  const created = new Resources({ board, bus, log, config, disk, asset }, adapters);
  await created.createAll(resources);

  const hostNetwork = await created.use(network);
  const serverNames = await created.use(certificates);
  const guard = createGuard(
    () => ownNames(hostNetwork.get().hostname, board.ownsSystem),
    (host) => serverNames.isServerName(host),
  );
  const { isEnabled } = await created.use(ui);
  const webApp = await WebApp.open({ isEnabled, read: asset });
  const app = createApp({ endpoints, routes: created.routes, log, guard, webApp });
  refusePlainEvents(app);
  serveUi(app, webApp, isEnabled);
  const { channel } = await created.use(page);
  const sendToPage = (payload: unknown) => channel.send(payload);
  const events = new EventSocket({ bus, log, guard, sendToPage });
  adapters.https.serve(app, events.upgrade);

  if (board.ownsSystem) stops.push(keepRestartDelaysShort(adapters.dbus, log));
  await adapters.browser.start();
  stops.push(() => adapters.browser.stop());
  for (const resource of created.all) {
    stops.push(() => resource.stop?.());
    await resource.start?.();
  }
  const http = await listen(app, addresses, events.upgrade);
  stops.push(() => app.close());
  stops.push(() => http.close());
  stops.push(() => adapters.https.close());
  stops.push(() => events.close());
  const { serial, model, version } = adapters.identity;
  for (const path of board.serialLines) {
    const link = new SerialLink({
      app,
      endpoints,
      bus,
      sendToPage,
      log,
      identity: () => ({ serial, name: config.get(deviceConfig).name, model, version }),
      openPort: (handler) => openSerialPort({ path, handler, log, openDevice: openSerialDevice }),
      ...(board.ownsSystem ? { shellCommand: systemShell() } : {}),
    });
    stops.push(() => link.close());
  }
  for (const resource of created.all) resource.ready?.();
  service.ready(`serving ${http.addresses.join(', ')}`);
  stops.push(() => service.stopping());
  announce(http.addresses, board.serialLines);
}

/** One line on standard output for whoever started the agent: the agent answers there from now on. */
function announce(addresses: readonly string[], serial: readonly string[]): void {
  const api = addresses.map((address) => `${address}/api/v1`);
  console.log(JSON.stringify({ type: 'ready', api, serial }));
}

/** Runs the steps from the last to the first. Never rejects. */
async function stopAll(stops: readonly Stop[], log: Logger): Promise<void> {
  for (const stop of stops.toReversed()) {
    try {
      await withTimeout(Promise.resolve(stop()), STOP_STEP_MS);
    } catch (error) {
      log.error({ err: error }, 'a part of the agent failed to stop');
    }
  }
}

async function run(): Promise<void> {
  let flags: Flags;
  try {
    flags = readFlags(process.argv.slice(2));
  } catch (error) {
    console.error(errorMessage(error));
    if (error instanceof BoardFileError) {
      process.exitCode = 1;
      return;
    }
    console.error(USAGE);
    process.exitCode = 2;
    return;
  }
  const log = createLogger('info');
  const failures = new UnexpectedErrors(log);
  failures.start();
  const stops: Stop[] = [];
  let stopping = false;
  const stop = async (code: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await stopAll(stops, log);
    process.exit(code);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(0));
  try {
    await start(flags, log, failures, stops);
  } catch (error) {
    log.fatal({ err: error }, 'the agent cannot start');
    await stop(1);
  }
}

// The build imports this module, too.
if (import.meta.main) void run();
