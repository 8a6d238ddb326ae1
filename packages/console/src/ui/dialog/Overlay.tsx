import type { ReactNode } from 'react'
import { Modal, ModalOverlay } from 'react-aria-components'
import { useWayBack } from '../way-back.ts'

type OverlayProps = {
  className?: string
  /** The class of the box with the content. */
  box: string
  /** A click outside does nothing. */
  isModal?: boolean
  /** Escape does nothing, either. */
  stays?: boolean
  onClose: () => void
  children: ReactNode
}

/** A box above the page. Open while it is rendered. Keeps the focus inside, and returns it on closing. */
export function Overlay(props: OverlayProps) {
  const { className = 'overlay', box, isModal = false, stays = false, onClose, children } = props
  useWayBack()
  return (
    <ModalOverlay
      className={className}
      isOpen
      isDismissable={!stays && !isModal}
      isKeyboardDismissDisabled={stays}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Modal className={box}>{children}</Modal>
    </ModalOverlay>
  )
}
