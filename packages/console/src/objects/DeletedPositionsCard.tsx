import { useErasedRanges } from '../api/queries.ts'
import type { ErasedRanges, FleetObject, OrganizationSummary } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { Badge, type BadgeKind } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Changing } from '../ui/changing.tsx'
import { useAddress } from '../ui/page/address.ts'
import { ANY_RANGE, rangeOf, rangeText } from '../ui/page/delete-address.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { DeletePositions } from './DeletePositions.tsx'
import { RangeTimes } from './RangeTimes.tsx'

type Erased = ErasedRanges['items'][number]
type Follower = Erased['webhooks'][number]

type DeletedPositionsCardProps = { organization: OrganizationSummary; object: FleetObject }

/** The deleted ranges of a vehicle, and the deletion of another one. */
export function DeletedPositionsCard({ organization, object }: DeletedPositionsCardProps) {
  const ranges = useErasedRanges(organization.id, object.id)
  const [address, change] = useAddress()
  const asked = address.get('delete')
  const ask = (range: string | null) => change({ delete: range }, { replace: true })
  return (
    <Card
      title={t('Deleted positions')}
      lead={t(
        'Ranges of time whose positions were deleted permanently. The server stores none of these positions again.',
      )}
      actions={
        <Changing>
          <Button look="danger" onClick={() => ask(ANY_RANGE)}>
            {t('Delete positions…')}
          </Button>
        </Changing>
      }
    >
      <div ref={asked === null ? undefined : inSight}>
        <Loaded
          query={ranges}
          lines={2}
          none={<p className="soft">{t('No positions of this vehicle were deleted.')}</p>}
        >
          {({ items }) => <RangeTable items={items} onDelete={ask} />}
        </Loaded>
      </div>
      {asked !== null && (
        <Changing>
          <DeletePositions
            organization={organization}
            object={object}
            chosen={rangeOf(asked)}
            onClose={() => ask(null)}
          />
        </Changing>
      )}
    </Card>
  )
}

/** A link from the map opens the page at its top. */
function inSight(list: HTMLElement | null): void {
  list?.scrollIntoView({ block: 'nearest' })
}

type RangeTableProps = { items: Erased[]; onDelete(range: string): void }

function RangeTable({ items, onDelete }: RangeTableProps) {
  const latestFirst = items.toSorted((a, b) => b.erased_at.localeCompare(a.erased_at))
  return (
    <>
      <p className="visually-hidden" role="status">
        {STATES[latestFirst[0]!.state].name}
      </p>
      <Table
        label={t('Deleted positions')}
        columns={COLUMNS}
        rows={latestFirst}
        rowKey={rangeText}
        menu={
          items.some(({ state }) => state === 'damaged')
            ? (row) => ({ label: t('Actions'), items: row.state === 'damaged' ? again(row) : [] })
            : undefined
        }
      />
    </>
  )

  function again(row: Erased) {
    const onAction = () => onDelete(rangeText(row))
    return [{ name: t('Delete again…'), isDanger: true, onAction }]
  }
}

const STATES: Record<Erased['state'], { name: string; look: BadgeKind }> = {
  under_way: { name: t('Deleting'), look: 'warn' },
  done: { name: t('Deleted'), look: 'good' },
  damaged: { name: t('Damaged'), look: 'danger' },
}

const COLUMNS: Column<Erased>[] = [
  { name: t('Positions'), cell: RangeTimes },
  {
    name: t('Deletion started'),
    cell: ({ erased_at: at }) => <Time value={at} />,
  },
  { name: t('Status'), cell: Progress },
  {
    name: t('Webhooks and relays'),
    breaks: true,
    cell: ({ webhooks }) =>
      webhooks.length === 0 ? (
        <span className="soft">{t('None.')}</span>
      ) : (
        webhooks.map((each) => (
          <div key={each.id}>
            {each.origin} <span className="soft">{followedText(each)}</span>
          </div>
        ))
      ),
  },
]

function Progress({ state, done_at: at }: Erased) {
  const { name, look } = STATES[state]
  return (
    <>
      <Badge kind={look}>{name}</Badge>
      <div className="soft small">
        {state === 'under_way' && t('Some of the positions are still shown.')}
        {state === 'done' && (
          <Phrase
            text="Backups made before <time /> still have the positions."
            parts={{ time: <Time value={at} as="second" /> }}
          />
        )}
        {state === 'damaged' &&
          t(
            'Some positions cannot be read, so they are left. Restore them from a backup, then delete the range again.',
          )}
      </div>
    </>
  )
}

function followedText({ has_followed: has }: Follower): string {
  if (has === null) return t('keeps the positions: ask the receiver')
  return has ? t('has received the deletion') : t('has not received the deletion yet')
}
