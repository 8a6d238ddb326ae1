import { type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { AccountMenu } from '../account/AccountMenu.tsx'
import { useRights } from '../api/rights.ts'
import { t } from '../language/text.ts'
import { Brand } from '../ui/Brand.tsx'
import { announce } from '../ui/dialog/announce.ts'
import './Frame.css'

const OF_DEPLOYMENT = [
  ['/routing', t('Routing')],
  ['/people', t('People')],
  ['/audit', t('Audit log')],
] as const

/** The header and navigation around every page. */
export function Frame({ children }: { children: ReactNode }) {
  const [location] = useLocation()
  const { oversees } = useRights(null)
  const main = useRef<HTMLElement>(null)
  useArrival(location)
  return (
    <div className="frame">
      {/* biome-ignore lint/a11y/useValidAnchor: it is a link, and goes where it says; only the address stays */}
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          // Keep the address: it belongs to a page and may be shared.
          event.preventDefault()
          main.current?.focus()
        }}
      >
        {t('Skip to the content')}
      </a>
      <header className="frame-head">
        <Brand />
        <nav className="frame-nav" aria-label={t('Console')}>
          <Link
            href="/"
            aria-current={location === '/' ? 'page' : currentOf(location, '/organizations')}
          >
            {t('Organizations')}
          </Link>
          {oversees &&
            OF_DEPLOYMENT.map(([path, name]) => (
              <Link key={path} href={path} aria-current={currentOf(location, path)}>
                {name}
              </Link>
            ))}
        </nav>
        <AccountMenu />
      </header>
      <main ref={main} id="main" className="frame-main" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** A page below the one of a link is a part of it. */
function currentOf(location: string, path: string): 'page' | 'true' | undefined {
  if (location === path) return 'page'
  return location.startsWith(`${path}/`) ? 'true' : undefined
}

/** On loading a page, browsers announce its title and start at its top. The router must do both. */
function useArrival(location: string): void {
  const first = useRef(true)
  useEffect(() => {
    if (first.current) {
      first.current = false
      return
    }
    // Tabs of one organization keep the scroll position, because the part above them is the same.
    if (location.split('/').length <= 3) scrollTo(0, 0)
    const timer = setTimeout(() => announce(document.title), 150)
    return () => clearTimeout(timer)
  }, [location])
}
