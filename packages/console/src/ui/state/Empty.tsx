import type { ReactNode } from 'react'
import './Empty.css'

/** An empty list: says what would be here and how to add it. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string
  children: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {action !== undefined && <div className="row">{action}</div>}
    </div>
  )
}
