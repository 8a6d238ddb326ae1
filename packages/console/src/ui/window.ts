import { type RefObject, useEffect, useState } from 'react'

/** Rows around those that are seen, so that scrolling by a little shows no gap. */
const BEYOND = 12

/** Which rows of a long list are to be in the page: those in sight of its scrolling frame, and some beyond. */
export function useWindow(frame: RefObject<HTMLElement | null>, rows: number, rowHeight: number) {
  const [range, setRange] = useState({ from: 0, to: 40 })
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const look = () => {
      const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - BEYOND)
      const to = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + BEYOND
      setRange((before) => (before.from === from && before.to === to ? before : { from, to }))
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [frame, rowHeight])
  const to = Math.min(rows, range.to)
  const from = Math.min(range.from, Math.max(0, to - 1))
  return { from, to }
}
