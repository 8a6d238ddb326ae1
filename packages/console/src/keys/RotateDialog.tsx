import { type ReactNode, useState } from 'react'
import { change } from '../api/client.ts'
import { ownerKey } from '../api/queries.ts'
import type { Rotation } from '../api/types.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { SelectField } from '../ui/form/Field.tsx'
import { useSaving } from '../ui/form/use-saving.ts'

type RotateDialogProps<Issued> = {
  /** Null: the deployment. */
  organization: number | null
  /** The path of what is rotated. */
  path: string
  title: string
  /** The label of the button. */
  action: string
  /** The text below the choice: with an overlap, and without one. */
  help: { overlap: string; refused: string }
  onClose: () => void
  onIssued: (issued: Issued) => void
  children: ReactNode
}

/** For how long an old secret stays valid alongside a new one, in hours. */
const OVERLAPS: [string, string][] = [
  ['0', t('No grace period')],
  ['1', t('1 hour')],
  ['24', t('1 day')],
  ['168', t('1 week')],
  ['720', t('30 days')],
]

/** Asks how long the old secret stays valid, and issues a new one. */
export function RotateDialog<Issued>(props: RotateDialogProps<Issued>) {
  const { organization, path, title, action, help, onClose, onIssued, children } = props
  const [hours, setHours] = useState('24')
  const rotate = useSaving({
    request: (body: Rotation) => change<Issued>('POST', `${path}/rotate`, body),
    onAnswer: onIssued,
    refreshes: [ownerKey(organization)],
  })
  return (
    <FormDialog
      title={title}
      action={action}
      saving={rotate}
      fields={['overlap_hours']}
      onSubmit={() => rotate.mutate({ overlap_hours: Number(hours) })}
      onClose={onClose}
    >
      <p>{children}</p>
      <SelectField
        label={t('Grace period for the old secret')}
        name="overlap_hours"
        options={OVERLAPS}
        value={hours}
        onChange={setHours}
        help={hours === '0' ? help.refused : help.overlap}
      />
    </FormDialog>
  )
}
