import { usePeople, useTokens } from '../api/queries.ts'
import type { WayOut } from '../api/types.ts'
import { grantInWords } from '../grants/grant.ts'
import { discloseeInWords } from '../keys/disclosee.ts'
import { t } from '../language/text.ts'
import { Badge } from '../ui/Badge.tsx'
import { count, utcDay } from '../ui/format.ts'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { useUtc } from '../ui/time/time-zone.ts'
import { ENDING_NAMES, KIND_NAMES, nameOf } from './kinds.ts'

type SharedTableProps = {
  organization: number
  rows: WayOut[]
  onDo: (act: 'end' | 'rotate', way: WayOut) => void
}

export function SharedTable({ organization, rows, onDo }: SharedTableProps) {
  const own = useOwn(organization)
  return (
    <Table
      label={t('Shared')}
      columns={COLUMNS}
      rows={rows}
      rowKey={({ kind, id }) => `${kind} ${id}`}
      isOff={({ ended_at }) => ended_at !== null}
      menu={(way) => {
        const rotation = { name: t('Rotate link'), onAction: () => onDo('rotate', way) }
        const end = { name: ENDING_NAMES[way.kind], onAction: () => onDo('end', way) }
        const acts = [...(way.kind === 'link' ? [rotation] : []), { ...end, isDanger: true }]
        return {
          label: t('Actions for {{name}}', { name: nameOf(way) }),
          items: way.ended_at === null && own(way) ? acts : [],
        }
      }}
    />
  )
}

/** Whether the organization can end a way: people and tokens of the deployment are not its own. */
function useOwn(organization: number) {
  const people = usePeople(organization).data?.items
  const tokens = useTokens(organization).data?.items
  return ({ kind, id }: WayOut) => {
    const listed = kind === 'person' ? people : kind === 'token' ? tokens : undefined
    return (kind !== 'person' && kind !== 'token') || listed?.some((each) => each.id === id)
  }
}

const COLUMNS: Column<WayOut>[] = [
  {
    name: t('Name'),
    cell: (way) => (
      <div>
        {nameOf(way)}
        <div className="soft small">
          {[KIND_NAMES[way.kind], discloseeInWords(way)].filter((each) => each !== '').join(' · ')}
        </div>
      </div>
    ),
  },
  { name: t('Access'), breaks: true, cell: (way) => <Opened way={way} /> },
  { name: t('Since'), cell: ({ since }) => <Time value={since} as="day" /> },
  { name: t('Expires'), cell: (way) => <Until way={way} /> },
  { name: t('Rows read'), number: true, cell: ({ rows }) => count(rows) },
  {
    name: t('Last read (UTC)'),
    cell: ({ last_read }) => (last_read === null ? t('Never') : utcDay(last_read)),
  },
]

/** The vehicles and the time that are seen. */
function Opened({ way: { objects, from, until } }: { way: WayOut }) {
  const [utc] = useUtc()
  const vehicles =
    objects === null ? t('All vehicles') : t('{{count, number}} vehicles', { count: objects })
  return grantInWords(vehicles, { from, until, attributes: null }, utc)
}

function Until({ way: { ended_at, expires_at } }: { way: WayOut }) {
  if (ended_at === null) return <Time value={expires_at} as="minute" />
  return (
    <span>
      <Badge>{t('Ended')}</Badge> <Time value={ended_at} as="day" />
    </span>
  )
}
