import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading } from 'react-aria-components'
import { t } from '../../language/text.ts'
import { Button } from '../Button.tsx'
import { Icon } from '../Icon.tsx'
import { Overlay } from './Overlay.tsx'
import './Dialog.css'

type DialogProps = {
  title: string
  onClose: () => void
  children: ReactNode
  /** For a decision rather than information. */
  alert?: boolean
  wide?: boolean | undefined
  /** Escape, a click outside and the cross do nothing, because the content would be lost. */
  stays?: boolean
}

export function Dialog({ title, onClose, children, alert, wide, stays = false }: DialogProps) {
  return (
    <Overlay
      box={wide === true ? 'modal modal-wide' : 'modal'}
      isModal={alert === true}
      stays={stays}
      onClose={onClose}
    >
      <AriaDialog className="dialog" role={alert === true ? 'alertdialog' : 'dialog'}>
        <div className="dialog-head">
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {!stays && (
            <Button look="quiet" icon small aria-label={t('Close')} onClick={onClose}>
              <Icon name="close" size={18} />
            </Button>
          )}
        </div>
        {children}
      </AriaDialog>
    </Overlay>
  )
}

export function Actions({ children, start }: { children: ReactNode; start?: boolean }) {
  return <div className={start === true ? 'actions actions-start' : 'actions'}>{children}</div>
}
