/** Icons are strokes on a 24-unit grid. They appear next to words and never replace them. */
const PATHS = {
  plus: 'M12 5v14M5 12h14',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 5 5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  done: 'm5 13 4 4L19 7',
  close: 'm6 6 12 12M18 6 6 18',
  down: 'm6 9 6 6 6-6',
  up: 'm6 15 6-6 6 6',
  pin: 'M12 21s7-6.2 7-11.5A7 7 0 0 0 5 9.5C5 14.8 12 21 12 21Zm0-9.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6Z',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  warning: 'M12 4 2.5 20h19zM12 10v4m0 3v.01',
  error: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-13v5m0 3v.01',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-8 9c0-4 3.6-6 8-6s8 2 8 6',
  upload: 'M12 16V4m0 0L7 9m5-5 5 5M4 16v4h16v-4',
  download: 'M12 4v12m0 0 5-5m-5 5-5-5M4 20h16',
  back: 'm14 6-6 6 6 6',
  table: 'M4 5h16v14H4zM4 10h16M10 10v9',
  chart: 'M5 20V10m7 10V4m7 16v-7',
  refresh: 'M20 11a8 8 0 1 0-2 6m2-11v5h-5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  map: 'M9 4 3 6v14l6-2 6 2 6-2V4l-6 2zm0 0v14m6-12v14',
  vehicle:
    'M5 16H3V6h11v10H9m5-7h4l3 4v3h-2m-4 0h-1M7 18a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm10 0a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  trip: 'M6 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM18 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 18h7a3 3 0 0 0 0-6H9a3 3 0 0 1 0-6h7',
  place:
    'M12 21c-4-4.5-6-7.5-6-10a6 6 0 1 1 12 0c0 2.5-2 5.5-6 10Zm0-8a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  key: 'M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm3-7 8-8m-4 4 3 3',
  share:
    'M8.6 13.5l6.8 4m0-11-6.8 4M6 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm12-7a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm0 14a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  send: 'M13 3 5 14h6l-1 7 8-11h-6z',
  values:
    'M4 7h10m4 0h2M4 17h2m4 0h10M16 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  settings:
    'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm0-13v3m0 12v3M3 12h3m12 0h3M5.6 5.6l2.2 2.2m8.4 8.4 2.2 2.2m0-12.8-2.2 2.2m-8.4 8.4-2.2 2.2',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 9c0-3.5 2.7-5.5 6-5.5s6 2 6 5.5m1-15.5a3.5 3.5 0 0 1 0 6.3m2 4c2 .8 3 2.5 3 5.2',
  log: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  organization: 'M5 21V4h9v17m0-12h5v12M3 21h18M8 8h3m-3 4h3m-3 4h3',
  routing: 'M6 4v16m0-8h6a6 6 0 0 0 6-6V4m-3 3 3-3 3 3',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 3 : 2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
