import { useEffect } from 'react'

/** Names the page in the tab and the history, and announces it to screen readers. */
export function useTitle(...parts: string[]): void {
  const title = [...parts, 'Fleetgate'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
