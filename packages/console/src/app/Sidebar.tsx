import { useId } from 'react'
import { Link, useLocation } from 'wouter'
import { t } from '../language/text.ts'
import { Icon } from '../ui/Icon.tsx'
import type { MenuGroup } from './menu.ts'
import './Sidebar.css'

/** The menu at the side of the page. */
export function Sidebar({ groups }: { groups: MenuGroup[] }) {
  return (
    <div className="sidebar" id="menu">
      <MenuLinks groups={groups} />
    </div>
  )
}

export function MenuLinks({ groups, onChoose }: { groups: MenuGroup[]; onChoose?: () => void }) {
  return (
    <nav className="menu-links" aria-label={t('Menu')}>
      {groups.map((group) => (
        <Group key={group.name} group={group} onChoose={onChoose} />
      ))}
    </nav>
  )
}

type GroupProps = { group: MenuGroup; onChoose: (() => void) | undefined }

function Group({ group: { name, items }, onChoose }: GroupProps) {
  const [location] = useLocation()
  const id = useId()
  return (
    <div>
      <p id={id} className="menu-group">
        {name}
      </p>
      <ul aria-labelledby={id}>
        {items.map(({ to, name, icon }) => (
          <li key={to}>
            <Link href={to} aria-current={currentOf(location, to)} onClick={() => onChoose?.()}>
              <Icon name={icon} />
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A page below the one of a link is a part of it. The list of organizations has no part: an organization has its own links. */
function currentOf(location: string, to: string): 'page' | 'true' | undefined {
  if (location === to) return 'page'
  return to !== '/organizations' && location.startsWith(`${to}/`) ? 'true' : undefined
}
