/** How long the browser may take to read a file, in ms: some begin only after the click. */
const READ_MS = 60_000;

/** Gives a file to the downloads of the browser. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), READ_MS);
}
