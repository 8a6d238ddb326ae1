import type { ReactNode } from 'react'
import { t } from '../../language/text.ts'
import { Button } from '../Button.tsx'
import { Changing } from '../changing.tsx'
import { Actions } from './Dialog.tsx'

type SaveOrDiscardProps = {
  action: string
  isBusy: boolean
  isChanged: boolean
  onDiscard: () => void
  /** Further buttons. */
  children?: ReactNode
}

/** The buttons below a form in a page. */
export function SaveOrDiscard(props: SaveOrDiscardProps) {
  const { action, isBusy, isChanged, onDiscard, children } = props
  return (
    <Changing>
      <Actions start>
        <Button type="submit" look="primary" busy={isBusy} disabled={!isChanged}>
          {action}
        </Button>
        {isChanged && <Button onClick={onDiscard}>{t('Discard changes')}</Button>}
        {children}
      </Actions>
    </Changing>
  )
}
