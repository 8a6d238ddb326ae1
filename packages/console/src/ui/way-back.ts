import { useEffect, useState } from 'react'

let open = 0
let opener: Element | null = null

/**
 * Where a dialog makes way for another, the second one's way back leads into the first, which is gone:
 * when the last one closes, the focus goes to what opened the first.
 */
export function useWayBack(): void {
  useState(() => {
    const focused = document.activeElement
    if (focused?.closest('[role="dialog"], [role="alertdialog"]') === null) opener = focused
  })
  useEffect(() => {
    open += 1
    return () => {
      open -= 1
      // After React Aria has tried.
      setTimeout(() => {
        const lost = document.activeElement === null || document.activeElement === document.body
        if (open === 0 && lost && opener instanceof HTMLElement) opener.focus()
      }, 50)
    }
  }, [])
}
