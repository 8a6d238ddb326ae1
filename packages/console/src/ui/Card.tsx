import { type ReactNode, useId } from 'react'
import './Card.css'

type CardProps = {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  danger?: boolean
  children?: ReactNode
}

/** A section of a page with its own heading. */
export function Card({ title, lead, actions, danger, children }: CardProps) {
  const id = useId()
  return (
    <section className={danger === true ? 'card card-danger' : 'card'} aria-labelledby={id}>
      <div>
        <div className="card-head">
          <h2 id={id}>{title}</h2>
          {actions !== undefined && <div className="row">{actions}</div>}
        </div>
        {lead !== undefined && <p className="card-lead">{lead}</p>}
      </div>
      {children}
    </section>
  )
}
