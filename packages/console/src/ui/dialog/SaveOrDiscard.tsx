import type { ReactNode } from 'react'
import { t } from '../../language/text.ts'
import { Button } from '../Button.tsx'
import { Changing } from '../changing.tsx'
import { Actions } from './Dialog.tsx'

type SaveOrDiscardProps = {
  action: string
  saving: { isPending: boolean; reset(): void }
  isChanged: boolean
  /** Puts back what is saved. */
  reset: () => void
  /** Further buttons. */
  children?: ReactNode
}

/** The buttons below a form in a page. */
export function SaveOrDiscard(props: SaveOrDiscardProps) {
  const { action, saving, isChanged, reset, children } = props
  const discard = () => {
    reset()
    saving.reset()
  }
  return (
    <Changing>
      <Actions start>
        <Button type="submit" look="primary" busy={saving.isPending} disabled={!isChanged}>
          {action}
        </Button>
        {isChanged && <Button onClick={discard}>{t('Discard changes')}</Button>}
        {children}
      </Actions>
    </Changing>
  )
}
