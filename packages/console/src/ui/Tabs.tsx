import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import './Tabs.css'

export type Tab = readonly [to: string, name: string]

type TabsProps = {
  label: string
  items: readonly Tab[]
}

/** Tabs are links: each page has an address and can open in its own browser tab. */
export function Tabs({ label, items }: TabsProps) {
  const [location] = useLocation()
  const nav = useRef<HTMLElement>(null)
  const pathOf = ([to]: Tab) => to.split('?')[0]
  const current = (items.find((each) => location === pathOf(each)) ??
    items.find((each) => location.startsWith(`${pathOf(each)}/`)))?.[0]
  // On a narrow screen the current tab may be out of view, so scroll to it.
  useEffect(() => {
    if (current === undefined) return
    nav.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {items.map(([to, name]) => (
        <Link key={to} href={to} aria-current={to === current ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
