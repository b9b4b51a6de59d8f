/** Icons of 24 × 24 units, drawn with lines in the colour of the text. */

const PATHS = {
  alert:
    'M12 8.500v4.500M12 16.500v.1M10.300 4.200 2.900 17a2 2 0 0 0 1.700 3h14.800a2 2 0 0 0 1.700-3L13.700 4.200a2 2 0 0 0-3.400 0z',
  bundle: 'm12 3 8 4.500v9L12 21l-8-4.500v-9zM4 7.500l8 4.500 8-4.500M12 12v9',
  check: 'm5 12.500 4.500 4.500L19 7.500',
  clock: 'M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM12 7.500V12l3 2',
  close: 'm6 6 12 12M18 6 6 18',
  code: 'm8.500 7.500-5 4.500 5 4.500M15.500 7.500l5 4.500-5 4.500',
  edit: 'M4 20h4L19 9a2.100 2.100 0 0 0-3-3L5 17zM14 8l3 3',
  enlarge: 'M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7',
  error: 'M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM12 8v5M12 16v.1',
  globe:
    'M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM3.500 12h17M12 3.500c2.500 2.400 3.700 5.200 3.700 8.500S14.500 18.100 12 20.500c-2.500-2.400-3.700-5.200-3.700-8.500S9.500 5.900 12 3.500z',
  menu: 'M4 7h16M4 12h16M4 17h16',
  offline:
    'M3 3l18 18M8.500 15.500a5 5 0 0 1 7 0M5.500 12.200a9.500 9.500 0 0 1 4-2.200M18.500 12.200a9.500 9.500 0 0 0-4-2.200M2.500 9a14 14 0 0 1 4-2.700M21.500 9a14 14 0 0 0-9.500-3.800M12 19v.1',
  overview: 'M4 4h7v8H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 14h7v6H4z',
  question:
    'M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM9.800 9.500a2.300 2.300 0 0 1 4.500.5c0 1.600-2.300 2-2.300 3.500M12 16.500v.1',
  reload: 'M20 5v5h-5M19.500 10A8 8 0 1 0 20 13.500',
  restart: 'M12 3.500v8M7 6.500a7.500 7.500 0 1 0 10 0',
  screen: 'M4 5h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM9 21h6M12 17v4',
  show: 'M4 5h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM10 8.500v5l4.500-2.500zM9 21h6',
  waiting: 'M7 3.500h10M7 20.500h10M8 3.500v3.500l4 5 4-5V3.500M8 20.500V17l4-5 4 5v3.500',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside a text, which says the same: it is not read out. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
