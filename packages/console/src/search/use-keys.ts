import { useEffect } from 'react'

type Keys = {
  onSearch: () => void
  onHelp: () => void
  /** While the search is loaded, it takes what is typed. */
  onLetter: ((letter: string) => void) | undefined
}

/** Ctrl-K searches everywhere, `/` on the page, and `?` lists the keys. */
export function useKeys({ onSearch, onHelp, onLetter }: Keys): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (document.querySelector('[role="dialog"], [role="alertdialog"]') !== null) return
      const hasModifier = event.ctrlKey || event.metaKey
      if (hasModifier && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        onSearch()
        return
      }
      if (hasModifier || event.altKey || isTyping(event.target)) return
      if (onLetter !== undefined && event.key.length === 1) {
        event.preventDefault()
        onLetter(event.key)
        return
      }
      if (event.key === '?') onHelp()
      if (event.key !== '/') return
      event.preventDefault()
      const field = document.querySelector<HTMLElement>('main input[type="search"]')
      if (field === null) onSearch()
      else field.focus()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [onSearch, onHelp, onLetter])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select'))
  )
}
