import { GuestShell } from '../qemu/shell.ts';
import { installBumble } from './bluetooth/peer-program.ts';
import { BluetoothRadios } from './bluetooth-radios.ts';
import { WifiRadios } from './wifi-radios.ts';

const SHELL_MS = 120_000;
const NETWORK = { ssid: 'Vitrine lab', passphrase: 'vitrine radios', channel: 6 };
const PHONE = 'Lab phone';

/** The radios of `npm start -- --radios`. */
export interface DeveloperRadios {
  /** What there is to join and to pair with, a line each. */
  lines: string[];
  /** Ends the program of the Bluetooth devices; the rest ends with the machine. */
  stop(): Promise<void>;
}

/**
 * Gives a running machine a Wi-Fi and a Bluetooth radio, with an access point and a phone at the other end.
 * @param socket of the machine's root shell
 */
export async function plugDeveloperRadios(socket: string): Promise<DeveloperRadios> {
  const shell = await GuestShell.connect(socket);
  try {
    await shell.ready(SHELL_MS);
    const wifi = await WifiRadios.plug(shell, 2);
    const point = await wifi.accessPoint({ ...NETWORK, security: 'mixed' });
    const lines = [
      `Wi-Fi    Network "${NETWORK.ssid}", passphrase "${NETWORK.passphrase}" (WPA2 and WPA3), router ${point.address}`,
    ];
    const installed = await installBumble();
    if ('unavailable' in installed) {
      lines.push(`Bluetooth No radio: ${installed.unavailable}`);
      return { lines, stop: async () => undefined };
    }
    const bluetooth = await BluetoothRadios.plug(shell, installed.python);
    const phone = await bluetooth.add(PHONE, 'phone').catch(async (error: unknown) => {
      await bluetooth.stop();
      throw error;
    });
    lines.push(`Bluetooth "${PHONE}" (${phone.address}) can be discovered and paired`);
    return { lines, stop: () => bluetooth.stop() };
  } finally {
    // It takes one client at a time, and "npm run dev:push" is another.
    shell.close();
  }
}
