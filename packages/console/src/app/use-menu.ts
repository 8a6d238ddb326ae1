import { useState } from 'react'
import { Kept, useCell } from '../kept.ts'
import { useLacksAside } from '../ui/narrow.ts'

const kept = new Kept('menu')

/** The menu: at the side of a wide page unless it was closed there, over a narrow one when it is asked for. */
export function useMenu() {
  const isNarrow = useLacksAside()
  const isAside = useCell(kept) !== 'closed'
  const [isOver, setOver] = useState(false)
  return {
    isAside: isAside && !isNarrow,
    isOver: isOver && isNarrow,
    toggle() {
      if (isNarrow) setOver(!isOver)
      else kept.set(isAside ? 'closed' : 'open')
    },
    close: () => setOver(false),
  }
}
