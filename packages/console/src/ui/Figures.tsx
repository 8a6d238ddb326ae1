import type { ReactNode } from 'react'
import './Figures.css'

type Named = readonly [name: string, value: ReactNode]

/** A few figures that are looked at first. */
export function Figures({ items }: { items: readonly Named[] }) {
  return <List className="figures" items={items} />
}

/** What is known of a thing, name by name. */
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
