/** The lines of a stream. Only those that can be seen are elements, so that their number does not matter. */
import { useId, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { plural, t } from '../../app/texts.ts';
import { Icon, type IconName } from '../icon.tsx';
import type { Entry, Level } from './entry.ts';
import { Marked } from './marked.tsx';
import { excerpt } from './search.ts';
import type { Stream } from './stream.ts';
import { drawnRows } from './window.ts';

/** What is drawn of a line, in characters. All of it is in the details. */
const LONGEST_ROW = 400;
/** Before the list was measured, in pixels. */
const FIRST_SIZES = { height: 480, rowHeight: 28 };
/** The icon of a level beside its word; less important ones have none. */
const ICONS: Partial<Record<Level, IconName>> = { warning: 'alert', error: 'error' };

interface StreamListProps {
  stream: Stream;
  label: string;
  /** How a source is written in a row. */
  shortSource: (source: string) => string;
  /** The line whose details are shown. */
  selected: Entry | undefined;
  onSelect: (entry: Entry | undefined) => void;
}

/** A list that follows new lines until the user scrolls up or chooses a line. */
export function StreamList({ stream, label, shortSource, selected, onSelect }: StreamListProps) {
  const { rows, pattern, pausedBy } = stream.state.value;
  const element = useRef<HTMLDivElement>(null);
  /** How far the list is scrolled: a state would be drawn twice while it follows. */
  const top = useRef(0);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const { height, rowHeight } = useSizes(element);
  const id = useId();
  const isFollowing = pausedBy === undefined;

  useLayoutEffect(() => {
    const list = element.current;
    if (!list || !isFollowing) return;
    list.scrollTop = list.scrollHeight;
    top.current = list.scrollTop;
  }, [rows, isFollowing, height, rowHeight]);
  const selectedId = selected?.id;
  useLayoutEffect(() => {
    const at = stream.state.peek().rows.findIndex((entry) => entry.id === selectedId);
    if (element.current && at >= 0) reveal(element.current, at * rowHeight, rowHeight);
  }, [stream, selectedId, rowHeight]);

  const onScroll = () => {
    const list = element.current;
    if (!list) return;
    top.current = list.scrollTop;
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight <= rowHeight / 2;
    const by = stream.state.peek().pausedBy;
    if (by === undefined && !isAtEnd) stream.pause('scroll');
    else if (by === 'scroll' && isAtEnd) stream.resume();
    else if (by !== undefined) redraw(undefined);
  };
  const choose = (entry: Entry | undefined) => {
    stream.pause('user');
    onSelect(entry);
  };
  /** Chooses the line at a place that depends on the one that is chosen, and on all lines. */
  const go = (place: (at: number, count: number) => number) => {
    stream.pause('user');
    const { rows: all } = stream.state.peek();
    const at = all.findIndex((entry) => entry.id === selectedId);
    // Without a chosen line, from the last one that can be seen.
    const from = at >= 0 ? at : Math.min(all.length, Math.ceil((top.current + height) / rowHeight));
    onSelect(all[Math.min(Math.max(place(from, all.length), 0), all.length - 1)]);
  };
  const page = Math.max(1, Math.floor(height / rowHeight) - 1);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowUp: () => go((at) => at - 1),
    ArrowDown: () => go((at) => at + 1),
    PageUp: () => go((at) => at - page),
    PageDown: () => go((at) => at + page),
    Home: () => go(() => 0),
    End: () => go((_at, count) => count - 1),
    Escape: () => {
      onSelect(undefined);
      stream.resume();
    },
  };
  const { from, to } = drawnRows({
    ...{ count: rows.length, top: top.current, height, rowHeight },
    isAtEnd: isFollowing,
  });
  const drawn = rows.slice(from, to);
  return (
    <div
      ref={element}
      class="stream-list"
      role="listbox"
      aria-label={label}
      aria-activedescendant={
        drawn.some((entry) => entry.id === selectedId) ? `${id}-${selectedId}` : undefined
      }
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={(event) => {
        const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
        if (!act || rows.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        act();
      }}
      onClick={({ currentTarget, clientY }) => {
        // A text is being selected.
        if (getSelection()?.isCollapsed === false) return;
        // By its place: the element under the pointer may have moved on between pressing and releasing.
        const y = clientY - currentTarget.getBoundingClientRect().top + currentTarget.scrollTop;
        const at = Math.floor(y / rowHeight);
        if (rows[at]) choose(rows[at]);
      }}
    >
      <div role="presentation" class="stream-rows" style={{ height: `${rows.length * rowHeight}px` }}>
        <div role="presentation" style={{ transform: `translateY(${from * rowHeight}px)` }}>
          {drawn.map((entry, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the line
            <div
              key={entry.id}
              id={`${id}-${entry.id}`}
              class={`stream-row stream-${entry.level ?? 'plain'}`}
              role="option"
              aria-selected={entry.id === selectedId}
              aria-setsize={rows.length}
              aria-posinset={from + index + 1}
            >
              <span class="stream-time">{clock(entry.at)}</span>
              {entry.level && <LevelWord level={entry.level} />}
              <span class="stream-source">{shortSource(entry.source)}</span>
              <span class="stream-text">
                {entry.missing > 0 && <span class="stream-gap">{gapWords(entry.missing)}</span>}
                <Marked text={excerpt(entry.text, pattern, LONGEST_ROW)} pattern={pattern} />
              </span>
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function LevelWord({ level }: { level: Level }) {
  const icon = ICONS[level];
  return (
    <span class="stream-level">
      {icon && <Icon name={icon} />}
      {t(`stream.level_${level}`)}
    </span>
  );
}

/** How many lines are missing before one. */
export function gapWords(missing: number): string {
  return Number.isFinite(missing) ? plural('stream.left_out', missing) : t('stream.gap');
}

/** The time of the day in this browser's zone, with milliseconds. */
export function clock(at: number): string {
  const time = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const ms = String(time.getMilliseconds()).padStart(3, '0');
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${ms}`;
}

/** Scrolls as little as possible so that a row can be seen. */
function reveal(list: HTMLElement, rowTop: number, rowHeight: number): void {
  if (rowTop < list.scrollTop) list.scrollTop = rowTop;
  else if (rowTop + rowHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = rowTop + rowHeight - list.clientHeight;
  }
}

/** What can be seen of a list, and how high its rows are: that depends on the width of the list and on the type. */
function useSizes(element: { readonly current: HTMLDivElement | null }): typeof FIRST_SIZES {
  const [sizes, setSizes] = useState(FIRST_SIZES);
  useLayoutEffect(() => {
    const list = element.current;
    if (!list) return;
    const measure = () => {
      const rowHeight =
        list.querySelector('.stream-row')?.getBoundingClientRect().height ?? FIRST_SIZES.rowHeight;
      const height = list.clientHeight;
      setSizes((last) =>
        last.height === height && last.rowHeight === rowHeight ? last : { height, rowHeight },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(list);
    return () => observer.disconnect();
  }, [element]);
  return sizes;
}
