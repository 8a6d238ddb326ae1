import {
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
  Button as PressButton,
  Separator,
} from 'react-aria-components'
import { Link, useLocation } from 'wouter'
import { useOrganization, useOrganizations } from '../api/queries.ts'
import { useHasSeveral } from '../api/rights.ts'
import { t } from '../language/text.ts'
import { Icon } from '../ui/Icon.tsx'
import { SubscriptionBadge } from './SubscriptionBadge.tsx'
import '../ui/Menu.css'
import './OrganizationSwitch.css'

/** The organization of the page, in the header. It leads to others, if the person has several. */
export function OrganizationSwitch({ organization }: { organization: number | null }) {
  const hasSeveral = useHasSeveral()
  return (
    <div className="organization-switch">
      {!hasSeveral ? (
        organization !== null && (
          <Link href={`/organizations/${organization}`}>
            <Named organization={organization} />
          </Link>
        )
      ) : (
        <MenuTrigger>
          <PressButton className="button button-quiet">
            {organization === null ? (
              t('Choose an organization')
            ) : (
              <Named organization={organization} />
            )}
            <Icon name="down" size={14} />
          </PressButton>
          <Popover placement="bottom start" className="popover">
            <OrganizationMenu shown={organization} />
          </Popover>
        </MenuTrigger>
      )}
    </div>
  )
}

function Named({ organization }: { organization: number }) {
  const { data } = useOrganization(organization)
  return (
    <>
      <span className="organization-name">{data?.name ?? t('Organization')}</span>
      {data !== undefined && data.subscription !== 'active' && (
        <SubscriptionBadge subscription={data.subscription} />
      )}
    </>
  )
}

/** More than these are found in their list. */
const LISTED = 12

function OrganizationMenu({ shown }: { shown: number | null }) {
  const [, navigate] = useLocation()
  const items = useOrganizations('').data?.items ?? []
  return (
    <Menu
      className="menu"
      aria-label={t('Organizations')}
      selectionMode="single"
      selectedKeys={shown === null ? [] : [String(shown)]}
      onAction={(id) => navigate(id === 'all' ? '/organizations' : `/organizations/${id}`)}
    >
      {items.slice(0, LISTED).map(({ id, name }) => (
        <MenuItem key={id} id={String(id)} className="menu-item">
          <Icon name="done" size={14} />
          {name}
        </MenuItem>
      ))}
      <Separator className="menu-line" />
      <MenuItem id="all" className="menu-item">
        <Icon name="done" size={14} />
        {t('All organizations')}
      </MenuItem>
    </Menu>
  )
}
