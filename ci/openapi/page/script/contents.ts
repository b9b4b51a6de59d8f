/** The line of the window that decides where the reader is: 15 % below its top. */
const READING_LINE = '-15% 0px -84% 0px';

/** On a phone the contents cover the page. */
export function hideContentsAfterChoice(): void {
  const contents = document.querySelector<HTMLElement>('#contents');
  contents?.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a') && contents.matches(':popover-open')) {
      contents.hidePopover();
    }
  });
}

/** Marks in the contents what is being read. */
export function followScroll(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('#contents a')].map((link) => [
      link.hash.slice(1),
      link,
    ]),
  );
  /** What the reading line crosses: sections, and articles in them. */
  const crossed = new Set<Element>();
  let current: HTMLAnchorElement | undefined;
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) crossed.add(target);
        else crossed.delete(target);
      }
      const read = [...crossed].flatMap(({ id }) => links.get(id) ?? []);
      const link = read.find((one) => one.closest('ul ul')) ?? read[0];
      if (link === current) return;
      current?.removeAttribute('aria-current');
      current = link;
      link?.setAttribute('aria-current', 'location');
      // Hidden contents cannot scroll.
      if (link && link.offsetParent !== null) link.scrollIntoView({ block: 'nearest' });
    },
    { rootMargin: READING_LINE },
  );
  for (const element of document.querySelectorAll('article[id], section[id]')) observer.observe(element);
}
