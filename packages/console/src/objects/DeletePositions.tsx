import { useState } from 'react'
import { change } from '../api/client.ts'
import type { Deletion, FleetObject, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { Figures } from '../ui/Figures.tsx'
import { useSaving } from '../ui/form/saving.ts'
import { count, listed } from '../ui/format.ts'
import type { PositionRange } from '../ui/page/delete-address.ts'
import { MomentField } from '../ui/time/MomentField.tsx'
import { RangeTimes } from './RangeTimes.tsx'
import { RecipientList } from './RecipientList.tsx'

/** Null: a time that is not chosen yet. */
type Draft = { [Bound in keyof PositionRange]: string | null }

type DeletePositionsProps = {
  organization: OrganizationSummary
  object: FleetObject
  /** The range that is proposed. */
  chosen: PositionRange | null
  onClose: () => void
}

/** Asks for a range, shows its contents, and deletes them after a question. */
export function DeletePositions({ chosen, ...props }: DeletePositionsProps) {
  const { organization, object, onClose } = props
  const path = `/organizations/${organization.id}/objects/${object.id}/delete-positions`
  const [proposed, setProposed] = useState(chosen)
  const [range, setRange] = useState<Draft>(chosen ?? { from: null, to: null })
  const [deletion, setDeletion] = useState<Deletion>()
  const { from, to } = range
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
      isReady={from !== null && to !== null}
      fields={['from', 'to']}
      onSubmit={() => preview.mutate({ from, to: untilNow(to!), dry_run: true })}
      onClose={onClose}
    >
      {proposed !== null ? (
        <div className="row between">
          <strong>
            <RangeTimes {...proposed} />
          </strong>
          <Button
            small
            onClick={() => {
              setRange(minutesOf(proposed))
              setProposed(null)
            }}
          >
            {t('Choose other times')}
          </Button>
        </div>
      ) : (
        <RangeFields range={range} onChange={(part) => setRange({ ...range, ...part })} />
      )}
    </FormDialog>
  )
}

type RangeFieldsProps = { range: Draft; onChange(part: Partial<Draft>): void }

function RangeFields({ range: { from, to }, onChange }: RangeFieldsProps) {
  const missing = (time: string | null) => time === null && t('Choose a date.')
  const past = [0, Date.now()] as const
  return (
    <div className="columns">
      <MomentField
        label={t('From')}
        name="from"
        bound="first"
        range={past}
        value={from}
        onChange={(time) => onChange({ from: time })}
        fault={missing(from)}
      />
      <MomentField
        label={t('To')}
        name="to"
        bound="last"
        range={past}
        value={to}
        onChange={(time) => onChange({ to: time })}
        fault={missing(to)}
      />
    </div>
  )
}

/** The range from the first to the last moment of the minutes that the fields show. */
function minutesOf({ from, to }: PositionRange): PositionRange {
  const [first, last] = [from, to].map((time) => Math.floor(Date.parse(time) / 60_000) * 60_000)
  return { from: iso(first!), to: iso(last! + 59_999) }
}

/** The present minute ends in the future, of which the server deletes nothing. */
const untilNow = (time: string) => iso(Math.min(Date.parse(time), Date.now()))
const iso = (time: number) => new Date(time).toISOString()

type ConfirmDeletionProps = Omit<DeletePositionsProps, 'chosen'> & {
  path: string
  deletion: Deletion
}

function ConfirmDeletion(props: ConfirmDeletionProps) {
  const { organization, object, path, deletion, onClose } = props
  const { from, to, recipients, webhooks } = deletion
  const originsOf = (isRelay: boolean) =>
    webhooks.filter(({ form }) => (form !== 'changes') === isRelay).map(({ origin }) => origin)
  const [sentTo, relays] = [originsOf(false), originsOf(true)].map((each) => [...new Set(each)])
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
      <p>
        <strong>
          <RangeTimes from={from} to={to} />
        </strong>
      </p>
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
      <RecipientList items={recipients} />
      {sentTo!.length > 0 && (
        <p>
          {t('These webhooks are sent the deletion: {{origins}}.', { origins: listed(sentTo!) })}
        </p>
      )}
      {relays!.length > 0 && (
        <p>
          {t('Relays take no position back. Ask the receivers to delete: {{origins}}.', {
            origins: listed(relays!),
          })}
        </p>
      )}
    </Confirm>
  )
}
