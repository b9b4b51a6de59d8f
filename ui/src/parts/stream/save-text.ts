/** How long the browser may take to read the text, in ms. */
const READ_MS = 60_000;

/** Lets the user save a text as a file. @param name begins the name of the file; the time follows */
export function saveText(name: string, text: string): void {
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${name}-${time}.txt`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), READ_MS);
}
