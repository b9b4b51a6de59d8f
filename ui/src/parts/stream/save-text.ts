import { saveFile } from '../save-file.ts';

/** Lets the user save a text as a file. @param name begins the name of the file; the time follows */
export function saveText(name: string, text: string): void {
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  saveFile(`${name}-${time}.txt`, new Blob([text], { type: 'text/plain;charset=utf-8' }));
}
