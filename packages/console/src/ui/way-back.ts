import { useEffect, useState } from 'react'

let open = 0
let opener: Element | null = null

/**
 * When a dialog replaces another one, its trigger is gone on closing. The focus then goes to the trigger
 * of the first dialog.
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
