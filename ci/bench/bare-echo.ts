/** Peer of the benchmark: a program that parses every line of a serial line as JSON and gives it back. */
import { ReadlineParser, SerialPort } from 'serialport';

const port = new SerialPort({ path: process.argv[2] ?? '', baudRate: 115200 }, () => console.log('ready'));
port
  .pipe(new ReadlineParser({ delimiter: '\n' }))
  .on('data', (line: string) => port.write(`${JSON.stringify(JSON.parse(line))}\n`));
