import type { ReactNode } from 'react'
import './Figures.css'

type Named = readonly [name: string, value: ReactNode]

type FiguresProps = { items: readonly Named[]; className?: string }

/** The most important figures. */
export function Figures({ items, className = 'figures' }: FiguresProps) {
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

/** Names and values of a thing's fields. */
export function Facts({ items }: { items: readonly Named[] }) {
  return <Figures className="facts" items={items} />
}
