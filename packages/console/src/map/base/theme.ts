import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark'

const DARK = '(prefers-color-scheme: dark)'

/** The theme set on the document, or else the system's. */
function themeNow(): Theme {
  const set = document.documentElement.dataset.theme
  if (set === 'light' || set === 'dark') return set
  return matchMedia(DARK).matches ? 'dark' : 'light'
}

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  const dark = matchMedia(DARK)
  dark.addEventListener('change', changed)
  return () => {
    observer.disconnect()
    dark.removeEventListener('change', changed)
  }
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, themeNow)
}
