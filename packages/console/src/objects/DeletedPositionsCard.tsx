import { useRef } from 'react'
import { useErasedRanges } from '../api/queries.ts'
import type { ErasedRanges, FleetObject, OrganizationSummary } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { Badge, type BadgeKind } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Changing } from '../ui/changing.tsx'
import { useAddress } from '../ui/page/address.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { Followers, RangeTimes } from './DeletedRange.tsx'
import { DeletePositions } from './DeletePositions.tsx'

type Erased = ErasedRanges['items'][number]

type DeletedPositionsCardProps = { organization: OrganizationSummary; object: FleetObject }

/** The deleted ranges of a vehicle, and the deletion of another one. */
export function DeletedPositionsCard({ organization, object }: DeletedPositionsCardProps) {
  const ranges = useErasedRanges(organization.id, object.id)
  const [address, change] = useAddress()
  const asked = address.get('delete')
  const ask = (at: string | null) => change({ delete: at }, { replace: true })
  const begin = useRef<HTMLButtonElement>(null)
  const close = () => {
    ask(null)
    // A link from the map opens the dialog above the top of the page, without a button to return to.
    requestAnimationFrame(() => begin.current?.focus())
  }
  return (
    <Card
      title={t('Deleted positions')}
      lead={t(
        'Ranges of time whose positions were deleted permanently. The server stores none of these positions again.',
      )}
      actions={
        <Changing>
          <Button look="danger" ref={begin} onClick={() => ask('range')}>
            {t('Delete positions…')}
          </Button>
        </Changing>
      }
    >
      <Loaded query={ranges} lines={2} none={<None />}>
        {({ items }) => <RangeTable items={items} />}
      </Loaded>
      {asked !== null && (
        <Changing>
          <DeletePositions
            organization={organization}
            object={object}
            at={Number.isNaN(Date.parse(asked)) ? null : asked}
            onClose={close}
          />
        </Changing>
      )}
    </Card>
  )
}

function None() {
  return <p className="soft">{t('No positions of this vehicle were deleted.')}</p>
}

/** Without the ranges of which values of attributes alone were erased. */
function RangeTable({ items }: { items: Erased[] }) {
  const deleted = items.filter(({ attribute }) => attribute === null)
  const latestFirst = deleted.toSorted((a, b) => b.erased_at.localeCompare(a.erased_at))
  if (latestFirst.length === 0) return <None />
  return (
    <>
      <p className="visually-hidden" role="status">
        {STATES[latestFirst[0]!.state][0]}
      </p>
      <Table
        label={t('Deleted positions')}
        columns={COLUMNS}
        rows={latestFirst}
        rowKey={({ from, to }) => `${from} ${to}`}
      />
    </>
  )
}

const STATES: Record<Erased['state'], [name: string, look: BadgeKind, text?: string]> = {
  under_way: [t('Deleting'), 'warn', t('Some of the positions are still shown.')],
  done: [t('Deleted'), 'good'],
  damaged: [
    t('Damaged'),
    'danger',
    t(
      'Some positions cannot be read, so they are left. Restore them from a backup, then delete the range again.',
    ),
  ],
}

const COLUMNS: Column<Erased>[] = [
  { name: t('Positions'), cell: RangeTimes },
  { name: t('Deletion started'), cell: ({ erased_at: at }) => <Time value={at} /> },
  { name: t('Status'), cell: Progress },
  { name: t('Webhooks and relays'), breaks: true, cell: Followers },
]

function Progress({ state, done_at: at }: Erased) {
  const [name, look, text] = STATES[state]
  return (
    <>
      <Badge kind={look}>{name}</Badge>
      <div className="soft small">
        {text ?? (
          <Phrase
            text="Backups made before <time /> still have the positions."
            parts={{ time: <Time value={at} as="second" /> }}
          />
        )}
      </div>
    </>
  )
}
