import { useSyncExternalStore } from 'react'

/** Whether all times are shown in UTC instead of the viewer's time zone. */
const KEY = 'fleetgate.utc'
const listeners = new Set<() => void>()
let utc = stored()

export function useUtc(): [boolean, (utc: boolean) => void] {
  return [useSyncExternalStore(subscribe, () => utc), choose]
}

function choose(next: boolean): void {
  utc = next
  try {
    localStorage.setItem(KEY, String(next))
  } catch {
    // If storage is forbidden, the choice lasts until the page is left.
  }
  for (const tell of listeners) tell()
}

function stored(): boolean {
  try {
    return localStorage.getItem(KEY) === 'true'
  } catch {
    return false
  }
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell)
  return () => listeners.delete(tell)
}
