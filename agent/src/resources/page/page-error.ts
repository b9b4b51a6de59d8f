/** What a page gets when a call to a device failed: the name of a DOMException, or `TypeError`, and a sentence. */
export class PageError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}
