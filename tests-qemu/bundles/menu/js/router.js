/** Views by the path in the URL's fragment: such a URL can be loaded anew, since its file is always index.html. */
export class Router {
  #routes;
  shown = '';

  constructor(routes) {
    this.#routes = routes;
    addEventListener('hashchange', () => void this.#show());
  }

  /** Shows a view; resolves when it is there. */
  async go(path) {
    location.hash = path;
    await this.#show();
  }

  async #show() {
    const path = location.hash.slice(1);
    if (path === this.shown) return;
    this.shown = path;
    await this.#routes[path]?.();
  }
}
