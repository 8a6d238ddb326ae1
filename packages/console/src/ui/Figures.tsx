import type { ReactNode } from 'react'
import './Figures.css'

type Named = readonly [name: string, value: ReactNode]

/** The most important figures. */
export function Figures({ items }: { items: readonly Named[] }) {
  return <List className="figures" items={items} />
}

/** Names and values of a thing's fields. */
export function Facts({ items }: { items: readonly Named[] }) {
  return <List className="facts" items={items} />
}

function List({ className, items }: { className: string; items: readonly Named[] }) {
  return (
    <dl className={className}>
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
