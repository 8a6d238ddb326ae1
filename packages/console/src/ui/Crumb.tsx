import type { ReactNode } from 'react'
import { Link } from 'wouter'
import './Crumb.css'
import { Icon } from './Icon.tsx'

/** The link above a page to the list that it is in. */
export function Crumb({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link href={to} className="crumb">
      <Icon name="back" size={14} />
      {children}
    </Link>
  )
}
