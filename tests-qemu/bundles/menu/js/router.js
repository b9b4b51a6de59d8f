/** Selects views by the URL's fragment. Such a URL can be reloaded, since its file is always index.html. */
export class Router {
  #routes;
  shown = '';

  constructor(routes) {
    this.#routes = routes;
    addEventListener('hashchange', () => void this.#show());
  }

  /** Shows a view; resolves when it is displayed. */
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
