import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import './Tabs.css'

type TabsProps = {
  label: string
  items: readonly (readonly [to: string, name: string])[]
  small?: boolean
}

/** Pages side by side. They are links: each has an address, and opens in a tab of the browser. */
export function Tabs({ label, items, small }: TabsProps) {
  const [location] = useLocation()
  const nav = useRef<HTMLElement>(null)
  const current = items.find(([to]) => location === to || location.startsWith(`${to}/`))?.[0]
  // On a narrow screen the one that is open may lie beyond the edge.
  useEffect(() => {
    if (current === undefined) return
    nav.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  return (
    <nav ref={nav} className={small === true ? 'tabs tabs-small' : 'tabs'} aria-label={label}>
      {items.map(([to, name]) => (
        <Link key={to} href={to} aria-current={to === current ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
