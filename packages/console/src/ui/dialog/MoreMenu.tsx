import { Menu, MenuItem, MenuTrigger, Popover, Button as PressButton } from 'react-aria-components'
import { Icon } from '../Icon.tsx'
import './Menu.css'

export type MoreItem = { name: string; onAction: () => void; isDanger?: boolean }

/** Further actions of a row. `label` names the row for screen readers. */
export function MoreMenu({ label, items }: { label: string; items: readonly MoreItem[] }) {
  return (
    <MenuTrigger>
      <PressButton className="button button-quiet button-small" aria-label={label}>
        More
        <Icon name="down" size={14} />
      </PressButton>
      <Popover placement="bottom end" className="popover">
        <Menu className="menu" aria-label={label}>
          {items.map(({ name, onAction, isDanger }) => (
            <MenuItem
              key={name}
              className={isDanger === true ? 'menu-item menu-item-danger' : 'menu-item'}
              onAction={onAction}
            >
              {name}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
