import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { AccountButton } from '../account/AccountButton.tsx'
import { useSession } from '../api/queries.ts'
import { useRights } from '../api/rights.ts'
import { t } from '../language/text.ts'
import { OrganizationSwitch } from '../organizations/OrganizationSwitch.tsx'
import { Brand } from '../ui/Brand.tsx'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Late } from '../ui/page/Late.tsx'
import { lazily } from '../ui/page/lazily.ts'
import { announce } from '../ui/toast/announce.ts'
import { menuOf } from './menu.ts'
import { Search } from './Search.tsx'
import { Sidebar } from './Sidebar.tsx'
import { useMenu } from './use-menu.ts'
import './Frame.css'

const MenuDrawer = lazily(() => import('./MenuDrawer.tsx'), 'MenuDrawer')

/** The header line and the menu around every page. */
export function Frame({ children }: { children: ReactNode }) {
  const [location] = useLocation()
  const organization = useShownOrganization(location)
  const oversees = {
    organization: useRights(organization).oversees,
    deployment: useRights(null).oversees,
  }
  const groups = menuOf({ organization, oversees })
  const menu = useMenu()
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
        {t('Skip to content')}
      </a>
      <header className="frame-head">
        <Button
          look="quiet"
          icon
          aria-label={t('Menu')}
          aria-expanded={menu.isAside || menu.isOver}
          aria-controls={menu.isAside ? 'menu' : undefined}
          onClick={menu.toggle}
        >
          <Icon name="menu" size={18} />
        </Button>
        <Brand />
        <OrganizationSwitch organization={organization} />
        <Search organization={organization} groups={groups} oversees={oversees} />
        <AccountButton />
      </header>
      <div className="frame-body">
        {menu.isAside && <Sidebar groups={groups} />}
        <main ref={main} id="main" className="frame-main" tabIndex={-1}>
          {children}
        </main>
      </div>
      <Late>{menu.isOver && <MenuDrawer groups={groups} onClose={menu.close} />}</Late>
    </div>
  )
}

/** The organization of the page, else the one that was shown before, else the only one with a role of the person. */
function useShownOrganization(location: string): number | null {
  const [before, setBefore] = useState<number | null>(null)
  const roles = useSession().data?.roles ?? []
  const given = new Set(roles.map(({ organization }) => organization))
  const [only = null] = given
  const inPath = /^\/organizations\/(\d+)/.exec(location)?.[1]
  const here = inPath === undefined ? null : Number(inPath)
  // Where organizations are listed, none is chosen, and the one of before may be deleted.
  const isListed = location === '/' || location === '/organizations'
  if (here !== before && (here !== null || isListed)) setBefore(here)
  return here ?? (isListed ? null : before) ?? (given.size === 1 ? only : null)
}

/** On loading a page, browsers announce its title. The router must do the same. */
function useArrival(location: string): void {
  const shown = useRef(location)
  useEffect(() => {
    if (shown.current === location) return
    shown.current = location
    const timer = setTimeout(() => announce(document.title), 150)
    return () => clearTimeout(timer)
  }, [location])
}
