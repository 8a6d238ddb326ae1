import type { QueryKey } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { t } from '../../language/text.ts'
import { Button } from '../Button.tsx'
import { TextField } from '../form/Field.tsx'
import { useSaving } from '../form/use-saving.ts'
import { Problem } from '../state/Problem.tsx'
import { Actions, Dialog } from './Dialog.tsx'

type ConfirmProps<Answer> = {
  title: string
  /** The state after the action. */
  children: ReactNode
  /** The label of the button: the action, not `OK`. */
  action: string
  /** The label of the other button. */
  cancel?: string
  /** Text to type first, for an action that cannot be undone and deletes much. */
  typed?: string
  onConfirm: () => Promise<Answer>
  /** As of `useSaving`. */
  refreshes?: readonly QueryKey[]
  done?: string | ((answer: Answer) => string)
  onClose: () => void
}

export function Confirm<Answer>(props: ConfirmProps<Answer>) {
  const { title, children, action, cancel = t('Cancel'), typed, onClose } = props
  const [words, setWords] = useState('')
  const [missing, setMissing] = useState(false)
  const confirming = useSaving({ ...props, request: props.onConfirm, onSaved: onClose })
  return (
    <Dialog title={title} alert onClose={onClose}>
      <div className="stack-small">{children}</div>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (typed !== undefined && words !== typed) setMissing(true)
          else if (!confirming.isPending) confirming.mutate()
        }}
      >
        {typed !== undefined && (
          <TextField
            label={t('Type {{typed}} to confirm', { typed })}
            value={words}
            onChange={(next) => {
              setWords(next)
              confirming.reset()
            }}
            autoComplete="off"
            error={
              missing && words !== typed ? t('This does not match the name exactly.') : undefined
            }
          />
        )}
        <Problem error={confirming.error} />
        <Actions>
          <Button onClick={onClose}>{cancel}</Button>
          <Button type="submit" look="danger" busy={confirming.isPending}>
            {action}
          </Button>
        </Actions>
      </form>
    </Dialog>
  )
}
