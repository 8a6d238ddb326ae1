import { useState } from 'react'
import { Link } from 'wouter'
import { useQuota } from '../api/queries.ts'
import type { OrganizationSummary, Quota } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { count } from '../ui/format.ts'
import { Meter } from '../ui/Meter.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { type QuotaLine, quotaLines } from './quota-lines.ts'

/** Lines that leave room for the charts below them. */
const FEW_LINES = 4
/** Objects that are asked for, the most charged first. */
const MANY = 1_000
/** Objects of a line that are listed by name. */
const NAMED = 50

export function QuotaCard({ organization }: { organization: OrganizationSummary }) {
  const quota = useQuota(organization.id, MANY)
  return (
    <Loaded query={quota} lines={3}>
      {({ limit, resets_at, items, charged }) => (
        <Card
          title={t('Quota today')}
          lead={
            <>
              {limit === null
                ? t(
                    'This organization has no quota. Reads of its objects are counted but not limited.',
                  )
                : t(
                    'Each object can be read {{limit}} times a day. The objects with the fewest reads left come first.',
                    {
                      limit: count(limit),
                    },
                  )}{' '}
              <Phrase
                text="Counts reset <time />, at 00:00 UTC."
                parts={{ time: <Time value={resets_at} as="ago" /> }}
              />
            </>
          }
        >
          {items.length === 0 ? (
            <p className="soft">{t('No reads today.')}</p>
          ) : (
            <Lines columns={columnsOf(organization, limit)} items={items} charged={charged} />
          )}
        </Card>
      )}
    </Loaded>
  )
}

type LinesProps = Pick<Quota, 'items' | 'charged'> & { columns: Column<QuotaLine>[] }

function Lines({ columns, items, charged }: LinesProps) {
  const [all, setAll] = useState(false)
  const lines = quotaLines(items)
  return (
    <>
      <Table
        label={t('Quota today')}
        columns={columns}
        rows={all ? lines : lines.slice(0, FEW_LINES)}
        rowKey={({ objects }) => objects[0]!.object}
      />
      <div className="row">
        <span className="soft small">
          {t('{{count, number}} objects were read today.', { count: charged })}{' '}
          {charged > items.length &&
            t('Showing the {{length}} with the most reads.', { length: count(items.length) })}
        </span>
        {lines.length > FEW_LINES && (
          <Button small onClick={() => setAll(!all)}>
            {all ? t('Show fewer') : t('Show more')}
          </Button>
        )}
      </div>
    </>
  )
}

function columnsOf(organization: OrganizationSummary, limit: number | null): Column<QuotaLine>[] {
  const name: Column<QuotaLine> = {
    name: t('Object'),
    cell: ({ objects }) => <Objects organization={organization.id} objects={objects} />,
  }
  const ident: Column<QuotaLine> = {
    name: t('Ident'),
    cell: ({ objects: [first, ...others] }) => others.length === 0 && <code>{first!.ident}</code>,
  }
  if (limit === null) {
    return [name, ident, { name: t('Reads today'), number: true, cell: ({ used }) => count(used) }]
  }
  return [
    name,
    ident,
    { name: t('Used'), cell: ({ used }) => <Meter used={used} limit={limit} /> },
    {
      name: t('Remaining'),
      number: true,
      cell: ({ remaining }) =>
        remaining === 0 ? <Badge kind="danger">{t('Exhausted')}</Badge> : count(remaining ?? 0),
    },
  ]
}

type ObjectsProps = { organization: number; objects: QuotaLine['objects'] }

/** The object of a line by its name, or how many there are, with their names folded. */
function Objects({ organization, objects }: ObjectsProps) {
  const links = objects.slice(0, NAMED).map(({ object, name }) => (
    <Link key={object} href={`/organizations/${organization}/objects/${object}`}>
      {name}
    </Link>
  ))
  if (objects.length === 1) return links[0]!
  return (
    <details>
      <summary>{t('{{length}} objects', { length: count(objects.length) })}</summary>
      <span className="quota-names">
        {links}
        {objects.length > NAMED && (
          <span>{t('and {{length}} more', { length: count(objects.length - NAMED) })}</span>
        )}
      </span>
    </details>
  )
}
