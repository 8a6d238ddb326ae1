import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { t } from '../language/text.ts'
import { Brand } from '../ui/Brand.tsx'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import type { MenuGroup } from './menu.ts'
import { MenuLinks } from './Sidebar.tsx'

type MenuProps = { groups: MenuGroup[]; onClose: () => void }

/** The menu on a narrow screen, over the page. */
export function MenuDrawer({ groups, onClose }: MenuProps) {
  return (
    <ModalOverlay
      className="menu-overlay"
      isOpen
      isDismissable
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Modal className="menu-drawer">
        <Dialog aria-label={t('Menu')} className="menu-dialog">
          <div className="row between">
            <Brand />
            <Button look="quiet" icon aria-label={t('Close the menu')} onClick={onClose}>
              <Icon name="close" size={18} />
            </Button>
          </div>
          <MenuLinks groups={groups} onChoose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
