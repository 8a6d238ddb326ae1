import { useEffect } from 'react'
import { Cell, useCell } from '../../kept.ts'

/**
 * The console's place in the browser's history. A page with unsaved changes stays, whether a link, the
 * back button or the forward button leads away from it, until the operator has answered.
 */

/** The address whose page is shown. While the operator is asked, the browser's own may differ. */
const path = new Cell(location.pathname)
const search = new Cell(location.search)

/** The number of the shown entry in the tab's history. It shows how far back or forward a step leads. */
let entry = numberOf(history.state) ?? 0

const unsaved = new Set<object>()
const goOn = new Cell<(() => void) | null>(null)

history.replaceState({ entry }, '')
addEventListener('popstate', onStep)
addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault()
})

/** For the router: the shown path, and the way to another one. */
export function useShownPath(): [string, typeof navigate] {
  return [useCell(path), navigate]
}

/** For the router: the shown `?…`. */
export function useShownSearch(): string {
  return useCell(search)
}

/** Has the operator asked before the page is left or closed, as long as `changed`. */
export function useUnsaved(changed: boolean): void {
  useEffect(() => {
    if (!changed) return
    const guard = {}
    unsaved.add(guard)
    return () => {
      unsaved.delete(guard)
    }
  }, [changed])
}

/** For a page that leaves automatically, because its changes were saved or their object was deleted. */
export function forgetUnsaved(): void {
  unsaved.clear()
}

/** Whether the operator is asked now. */
export function useIsAsked(): boolean {
  return useCell(goOn) !== null
}

export function leave(): void {
  forgetUnsaved()
  goOn.get()?.()
  stay()
}

export function stay(): void {
  goOn.set(null)
}

function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const { pathname } = new URL(to, location.href)
  guarded(pathname, () => {
    const isOther = pathname !== path.get()
    if (!replace) entry += 1
    history[replace ? 'replaceState' : 'pushState']({ entry }, '', to)
    show()
    if (isOther) scrollTo(0, 0)
  })
}

/** The browser has gone to another entry already. If its page must not show yet, go back to ours. */
function onStep(): void {
  const to = numberOf(history.state)
  if (to === undefined) {
    // Only a changed `#…` makes an entry that is not ours.
    entry += 1
    history.replaceState({ entry }, '')
  }
  const steps = (to ?? entry) - entry
  if (steps !== 0 && isGuarded(location.pathname)) {
    history.go(-steps)
    ask(() => history.go(steps))
    return
  }
  entry += steps
  show()
}

function guarded(to: string, go: () => void): void {
  if (isGuarded(to)) ask(go)
  else go()
}

/** A change within the page, such as a search, loses nothing. */
function isGuarded(to: string): boolean {
  return unsaved.size > 0 && to !== path.get()
}

function ask(go: () => void): void {
  goOn.set(go)
}

function show(): void {
  path.set(location.pathname)
  search.set(location.search)
}

function numberOf(state: unknown): number | undefined {
  const known = (state as { entry?: unknown } | null)?.entry
  return typeof known === 'number' ? known : undefined
}
