import { useEffect, useRef } from 'react'
import { Dialog } from 'react-aria-components'
import { useLocation } from 'wouter'
import { t } from '../language/text.ts'
import { Brand } from '../ui/Brand.tsx'
import { Button } from '../ui/Button.tsx'
import { Overlay } from '../ui/dialog/Overlay.tsx'
import { Icon } from '../ui/Icon.tsx'
import type { MenuGroup } from './menu.ts'
import { MenuLinks } from './Sidebar.tsx'

type MenuProps = { groups: MenuGroup[]; onClose: () => void }

/** The menu on a narrow screen, over the page. */
export function MenuDrawer({ groups, onClose }: MenuProps) {
  const [location] = useLocation()
  const opened = useRef(location)
  // A step back in the history closes it, too.
  useEffect(() => {
    if (location !== opened.current) onClose()
  }, [location, onClose])
  return (
    <Overlay className="menu-overlay" box="menu-drawer" onClose={onClose}>
      <Dialog aria-label={t('Menu')} className="menu-dialog">
        <div className="row between">
          <Brand />
          <Button look="quiet" icon aria-label={t('Close the menu')} onClick={onClose}>
            <Icon name="close" size={18} />
          </Button>
        </div>
        <MenuLinks groups={groups} onChoose={onClose} />
      </Dialog>
    </Overlay>
  )
}
