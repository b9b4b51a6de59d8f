import { make } from './dom.ts';
import { type Entry, find, readEntries } from './search-index.ts';

/** Adds the search: a button, the key `/` and a dialog with the results. */
export function addSearch(): void {
  const search = new Search();
  const button = make(
    'button',
    { type: 'button', class: 'search', 'aria-keyshortcuts': '/' },
    make('span', {}, 'Search'),
    make('kbd', { 'aria-hidden': 'true' }, '/'),
  );
  button.addEventListener('click', () => search.open());
  document.querySelector('header .brand')?.after(button);
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    const isTyping =
      target instanceof Element && target.matches('textarea, select, input:not([type="radio"])');
    const isSlash = key === '/' && !isTyping && !ctrlKey && !metaKey && !altKey;
    if (!isSlash && !(key.toLowerCase() === 'k' && (ctrlKey || metaKey))) return;
    event.preventDefault();
    search.open();
  });
}

class Search {
  readonly #input = make('input', {
    ...{ type: 'search', role: 'combobox', 'aria-label': 'Search', 'aria-autocomplete': 'list' },
    ...{ 'aria-controls': 'results', 'aria-expanded': 'false', placeholder: 'Path, field, event, error …' },
    ...{ autocomplete: 'off', spellcheck: 'false', enterkeyhint: 'go' },
  });
  readonly #results = make('ul', { id: 'results', role: 'listbox', 'aria-label': 'Results' });
  readonly #note = make('p', { class: 'note', role: 'status' });
  readonly #dialog = make('dialog', { 'aria-label': 'Search' });
  /** Read when the search is opened for the first time. */
  #entries: Entry[] | undefined;
  #found: Entry[] = [];
  #chosen = 0;

  constructor() {
    const close = make('button', { type: 'button', class: 'close' }, 'Close');
    close.addEventListener('click', () => this.#dialog.close());
    this.#dialog.append(make('div', { class: 'bar' }, this.#input, close), this.#note, this.#results);
    document.body.append(this.#dialog);
    this.#input.addEventListener('input', () => this.#show());
    this.#input.addEventListener('keydown', (event) => this.#press(event));
    this.#results.addEventListener('click', ({ target }) => {
      const item = target instanceof Element ? target.closest('li') : null;
      if (item) this.#go([...this.#results.children].indexOf(item));
    });
    // A click beside the dialog has the dialog itself as its target.
    this.#dialog.addEventListener('click', ({ target }) => {
      if (target === this.#dialog) this.#dialog.close();
    });
  }

  open(): void {
    this.#entries ??= readEntries();
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#input.select();
    this.#show();
  }

  #show(): void {
    const query = this.#input.value;
    this.#found = find(this.#entries ?? [], query);
    this.#results.replaceChildren(
      ...this.#found.map(({ kind, label, detail }, index) =>
        make(
          'li',
          { id: `result-${index}`, role: 'option', 'aria-selected': 'false' },
          make('span', { class: 'kind' }, kind),
          make('span', { class: 'label' }, label),
          make('span', { class: 'detail' }, detail),
        ),
      ),
    );
    const isEmpty = this.#found.length === 0;
    this.#input.setAttribute('aria-expanded', String(!isEmpty));
    this.#results.hidden = isEmpty;
    if (!isEmpty) this.#note.textContent = '';
    else if (query.trim() === '')
      this.#note.textContent = 'Operations, parameters, fields, events, errors, shapes.';
    else this.#note.textContent = 'Nothing found.';
    this.#choose(0);
  }

  #choose(index: number): void {
    const { children } = this.#results;
    children[this.#chosen]?.setAttribute('aria-selected', 'false');
    this.#chosen = Math.min(Math.max(index, 0), Math.max(children.length - 1, 0));
    const item = children[this.#chosen];
    if (!item) {
      this.#input.removeAttribute('aria-activedescendant');
      return;
    }
    item.setAttribute('aria-selected', 'true');
    item.scrollIntoView({ block: 'nearest' });
    this.#input.setAttribute('aria-activedescendant', item.id);
  }

  #press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) this.#choose(this.#chosen + step);
    else if (event.key === 'Enter') this.#go(this.#chosen);
    // A browser would only empty the field.
    else if (event.key === 'Escape') this.#dialog.close();
    else return;
    event.preventDefault();
  }

  /** Goes to a result. A field has no address; that of what it belongs to is shown. */
  #go(index: number): void {
    const entry = this.#found[index];
    if (!entry) return;
    this.#dialog.close();
    const { element } = entry;
    location.hash = element.id || (element.closest('[data-kind]')?.id ?? '');
    for (const one of document.querySelectorAll('.found')) one.classList.remove('found');
    if (element.id === '') {
      element.classList.add('found');
      element.scrollIntoView({ block: 'center' });
    }
  }
}
