import {
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
  Button as PressButton,
  Separator,
} from 'react-aria-components'
import { useLocation } from 'wouter'
import { useOrganizations } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { Icon } from '../ui/Icon.tsx'
import { SwitchLabel } from './OrganizationSwitch.tsx'
import '../ui/Menu.css'

/** More than these are found in their list. */
const LISTED = 12

/** Open at first: it is loaded when somebody asks for it. */
export function OrganizationMenu({ shown }: { shown: number | null }) {
  const [, navigate] = useLocation()
  const items = useOrganizations('').data?.items ?? []
  return (
    <MenuTrigger defaultOpen>
      <PressButton className="button button-quiet">
        <SwitchLabel organization={shown} />
      </PressButton>
      <Popover placement="bottom start" className="popover">
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
      </Popover>
    </MenuTrigger>
  )
}
