import { useState, useSyncExternalStore } from 'react'

const NARROW = matchMedia('(max-width: 860px)')
const KEY = 'fleetgate.menu'

/** The menu: at the side of a wide page unless it was closed there, over a narrow one when it is asked for. */
export function useMenu() {
  const isNarrow = useSyncExternalStore(onResize, () => NARROW.matches)
  const [isAside, setAside] = useState(wasAside)
  const [isOver, setOver] = useState(false)
  return {
    isAside: isAside && !isNarrow,
    isOver: isOver && isNarrow,
    toggle() {
      if (isNarrow) return setOver(!isOver)
      setAside(!isAside)
      try {
        localStorage.setItem(KEY, isAside ? 'closed' : 'open')
      } catch {
        // If storage is forbidden, the choice lasts until the page is left.
      }
    },
    close: () => setOver(false),
  }
}

function wasAside(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'closed'
  } catch {
    return true
  }
}

function onResize(tell: () => void): () => void {
  NARROW.addEventListener('change', tell)
  return () => NARROW.removeEventListener('change', tell)
}
