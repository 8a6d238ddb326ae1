import { type ReactNode, useState } from 'react'
import { Button } from '../Button.tsx'
import { Late } from './Late.tsx'

/** A button whose menu is loaded, and open, when somebody asks for it. `children`: the menu with its own button. */
export function LateMenu({ label, children }: { label: ReactNode; children: ReactNode }) {
  const [isAsked, setAsked] = useState(false)
  const button = (
    <Button look="quiet" aria-haspopup="menu" onClick={() => setAsked(true)}>
      {label}
    </Button>
  )
  return isAsked ? <Late fallback={button}>{children}</Late> : button
}
