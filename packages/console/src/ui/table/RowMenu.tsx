import { Menu, MenuItem, MenuTrigger, Popover, Button as PressButton } from 'react-aria-components'
import { useMayChange } from '../changing.tsx'
import { Icon } from '../Icon.tsx'
import '../Menu.css'

export type RowAction = {
  name: string
  onAction: () => void
  isDanger?: boolean
  /** It changes nothing, so that everybody has it. */
  shows?: boolean
}

type RowMenuProps = {
  /** Names the row for screen readers. */
  label: string
  items: readonly RowAction[]
}

/** The actions of a row that the reader may do. */
export function RowMenu({ label, items: all }: RowMenuProps) {
  const mayChange = useMayChange()
  const items = all.filter(({ shows }) => mayChange || shows === true)
  if (items.length === 0) return null
  return (
    <MenuTrigger>
      <PressButton className="button button-quiet button-small button-icon" aria-label={label}>
        <Icon name="more" />
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
