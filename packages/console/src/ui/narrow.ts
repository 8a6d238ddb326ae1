import { useSyncExternalStore } from 'react'

/** As the style sheets have it: on a screen this narrow, tables are cards. */
const narrow = matchMedia('(max-width: 720px)')

/** Whether the screen is that of a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches)
}

function subscribe(tell: () => void): () => void {
  narrow.addEventListener('change', tell)
  return () => narrow.removeEventListener('change', tell)
}
