import { useState } from 'react'
import { change } from '../api/client.ts'
import type { Deletion, FleetObject, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { Figures } from '../ui/Figures.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { count } from '../ui/format.ts'
import { MomentField } from '../ui/time/MomentField.tsx'
import { Followers, RangeTimes } from './DeletedRange.tsx'
import { RecipientList } from './RecipientList.tsx'

type DeletePositionsProps = {
  organization: OrganizationSummary
  object: FleetObject
  /** The time of the only position to delete. Null: a range is asked for. */
  at: string | null
  onClose: () => void
}

const BOUNDS = [
  { name: 'from', label: t('From'), bound: 'first' },
  { name: 'to', label: t('To'), bound: 'last' },
] as const

/** Asks for a range, shows its contents, and deletes them after a question. */
export function DeletePositions({ at, ...props }: DeletePositionsProps) {
  const { organization, object, onClose } = props
  const path = `/organizations/${organization.id}/objects/${object.id}/delete-positions`
  const [range, setRange] = useState({ from: at, to: at })
  const [deletion, setDeletion] = useState<Deletion>()
  const preview = useSaving({
    request: (body: object) => change<Deletion>('POST', path, body),
    onAnswer: setDeletion,
  })
  if (deletion !== undefined) return <ConfirmDeletion {...props} path={path} deletion={deletion} />
  return (
    <FormDialog
      title={t('Delete positions of {{name}}', { name: object.name })}
      action={t('Continue')}
      saving={preview}
      isReady={range.from !== null && range.to !== null}
      fields={['from', 'to']}
      onSubmit={() => preview.mutate({ from: range.from, to: untilNow(range.to!), dry_run: true })}
      onClose={onClose}
    >
      {at !== null ? (
        <strong>
          <RangeTimes from={at} to={at} />
        </strong>
      ) : (
        BOUNDS.map(({ name, ...field }) => (
          <MomentField
            {...field}
            key={name}
            name={name}
            range={[0, Date.now()]}
            value={range[name]}
            onChange={(time) => setRange({ ...range, [name]: time })}
            fault={range[name] === null && t('Choose a date.')}
          />
        ))
      )}
    </FormDialog>
  )
}

/** The present minute ends in the future, of which the server deletes nothing. */
function untilNow(time: string): string {
  return new Date(Math.min(Date.parse(time), Date.now())).toISOString()
}

type ConfirmDeletionProps = Omit<DeletePositionsProps, 'at'> & {
  path: string
  deletion: Deletion
}

function ConfirmDeletion(props: ConfirmDeletionProps) {
  const { organization, object, path, deletion, onClose } = props
  const { from, to } = deletion
  return (
    <Confirm
      title={t('Delete positions of {{name}}?', { name: object.name })}
      action={t('Delete positions')}
      typed={object.name}
      onClose={onClose}
      onConfirm={() => change('POST', path, { from, to })}
      refreshes={[
        ['organization', organization.id],
        ['map', organization.id],
      ]}
      done={t('The server is deleting the positions.')}
    >
      <strong>
        <RangeTimes from={from} to={to} />
      </strong>
      <Figures
        items={[
          [t('Positions'), count(deletion.positions)],
          [t('Hidden positions'), count(deletion.hidden)],
          [t('Rejected packets'), count(deletion.rejects)],
          [t('Trips, stops and other records'), count(deletion.records)],
        ]}
      />
      <p>
        {t(
          'This cannot be undone. The server does not store this range again, even if a device sends it, an import has it, or an older backup is restored.',
        )}
      </p>
      <p>
        {t(
          'Trips, stops, odometers and engine hours are computed again without these positions. Backups made before the deletion keep them.',
        )}
      </p>
      <h3>{t('Data access since this day')}</h3>
      <RecipientList items={deletion.recipients} />
      <h3>{t('Webhooks and relays')}</h3>
      <Followers webhooks={deletion.webhooks} />
    </Confirm>
  )
}
