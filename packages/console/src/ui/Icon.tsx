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
