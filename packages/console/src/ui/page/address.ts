import { useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

/** `null` takes a part out of the address. */
type Parts = Record<string, string | null>

type Change = (parts: Parts, options?: { replace?: boolean }) => void

/**
 * The parts of the address after `?`, and a change of some of them. A page keeps there what is selected:
 * reload, back, forward and a shared link bring it back. `replace` makes no entry in the history, as for
 * each letter of a search.
 */
export function useAddress(): [URLSearchParams, Change] {
  const search = useSearch()
  const [, navigate] = useLocation()
  const parts = useMemo(() => new URLSearchParams(search), [search])
  return [
    parts,
    (changes, options) => {
      // From the browser, not from the last rendering: two changes may come in one event.
      const next = new URLSearchParams(location.search)
      for (const [name, value] of Object.entries(changes)) {
        if (value === null || value === '') next.delete(name)
        else next.set(name, value)
      }
      const text = next.size === 0 ? '' : `?${next}`
      if (text !== location.search) navigate(location.pathname + text, options)
    },
  ]
}

/** A search text in the address. */
export function useSearchText(): [string, (text: string) => void] {
  const [parts, change] = useAddress()
  return [parts.get('search') ?? '', (search) => change({ search }, { replace: true })]
}
