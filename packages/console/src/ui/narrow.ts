import { useSyncExternalStore } from 'react'

/** Returns a hook that says whether the screen fits a media query. */
function screenHook(query: string): () => boolean {
  const screen = matchMedia(query)
  const subscribe = (tell: () => void) => {
    screen.addEventListener('change', tell)
    return () => screen.removeEventListener('change', tell)
  }
  return () => useSyncExternalStore(subscribe, () => screen.matches)
}

/** As the style sheets have it: on the screen of a phone, tables are cards. */
export const useNarrow = screenHook('(max-width: 720px)')

/** Whether the menu has no room at the side of the page. */
export const useLacksAside = screenHook('(max-width: 860px)')
