import { parseArgs } from 'node:util';
import type { Board } from './base/board.ts';
import { readBoardFile } from './boards/board-file.ts';
import { generic } from './boards/generic.ts';

/** Where an HTTP link listens. */
export interface ListenAddress {
  host: string;
  port: number;
}

/** The result of the command line. */
export interface Flags {
  board: Board;
  listen: ListenAddress[];
  /** Where HTTPS listens while it has a certificate. */
  listenHttps: ListenAddress[];
  /** Device name while the configuration has none. */
  name: string | undefined;
}

export const USAGE = `usage: vitrine-agent [--board FILE | --profile NAME] [--listen HOST:PORT]… [--listen-https HOST:PORT]…
                     [--data DIR] [--run DIR] [--serial TTY]… [--content-port PORT] [--name NAME]
  --board    board file that the image's build rendered, /etc/vitrine/board.json
  --profile  kind of a computer without a board file: ${generic.profile} (default), any Linux computer
  --listen   address of the HTTP link; port 0 takes a free one (default 127.0.0.1:8080)
  --listen-https
             address of the HTTPS link, once a certificate is uploaded (default 127.0.0.1:8443)
  --data     folder for data that must survive a restart
  --run      folder for sockets and for state that ends with a reboot (default with --data: DIR/run)
  --serial   serial line that carries the API as NDJSON
  --content-port
             loopback port for content bundles; 0 takes a free one (default: the board's)
  --name     device name until one is configured`;

/**
 * Reads the command line.
 * @throws BoardFileError when the board file cannot be used; Error with a sentence for the user when the command line
 *   is wrong
 */
export function readFlags(argv: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      board: { type: 'string' },
      profile: { type: 'string' },
      listen: { type: 'string', multiple: true, default: ['127.0.0.1:8080'] },
      'listen-https': { type: 'string', multiple: true, default: ['127.0.0.1:8443'] },
      data: { type: 'string' },
      run: { type: 'string' },
      serial: { type: 'string', multiple: true },
      'content-port': { type: 'string' },
      name: { type: 'string' },
    },
  });
  if (values.board !== undefined && values.profile !== undefined) {
    throw new Error('--board and --profile exclude each other.');
  }
  const board = values.board === undefined ? profileOf(values.profile) : readBoardFile(values.board);
  const contentPort = values['content-port'];
  return {
    board: {
      ...board,
      dataFolder: values.data ?? board.dataFolder,
      runtimeFolder: values.run ?? (values.data === undefined ? board.runtimeFolder : `${values.data}/run`),
      serialLines: values.serial ?? board.serialLines,
      contentPort: contentPort === undefined ? board.contentPort : portNumber(contentPort),
    },
    listen: values.listen.map((text) => listenAddress('--listen', text)),
    listenHttps: values['listen-https'].map((text) => listenAddress('--listen-https', text)),
    name: values.name,
  };
}

function profileOf(name = generic.profile): Board {
  if (name === generic.profile) return generic;
  throw new Error(`There is no profile ${name}; boards of the image have a board file: use --board.`);
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535)
    throw new Error(`--content-port ${text} is not a port.`);
  return Number(text);
}

function listenAddress(flag: string, text: string): ListenAddress {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65535) throw new Error(`${flag} ${text} is not HOST:PORT.`);
  return { host, port };
}
