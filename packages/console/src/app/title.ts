import { useEffect } from 'react'

/** Names the page in the tab, in the history, and for screen readers when it changes. */
export function useTitle(...parts: string[]): void {
  const title = [...parts, 'Fleetgate'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
