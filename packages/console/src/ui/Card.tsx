import { type ReactNode, useId } from 'react'
import './Card.css'

type CardProps = {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  danger?: boolean
  /** Its title is that of the page, which has no frame. */
  page?: boolean
  children?: ReactNode
}

/** A section of a page with its own heading. */
export function Card({ title, lead, actions, danger, page, children }: CardProps) {
  const id = useId()
  const Title = page === true ? 'h1' : 'h2'
  const look = page === true ? 'card-page' : danger === true ? 'card card-danger' : 'card'
  return (
    <section className={look} aria-labelledby={id}>
      <div>
        <div className="card-head">
          <Title id={id}>{title}</Title>
          {actions !== undefined && <div className="row">{actions}</div>}
        </div>
        {lead !== undefined && <p className="card-lead">{lead}</p>}
      </div>
      {children}
    </section>
  )
}
