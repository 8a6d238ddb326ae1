import { useState } from 'react'
import { Link } from 'wouter'
import { useQuota } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { count, counted } from '../ui/format.ts'
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
  const [all, setAll] = useState(false)
  const quota = useQuota(organization.id, MANY)
  return (
    <Loaded query={quota} lines={3}>
      {({ limit, resets_at, items, charged }) => (
        <Card
          title="Quota today"
          lead={
            <>
              {limit === null
                ? 'This organization has no quota: reads of its objects are counted and never refused. '
                : `Each object has ${count(limit)} reads a day. The objects with the fewest left come first. `}
              The counts start again <Time value={resets_at} as="ago" />, at 00:00 UTC.
            </>
          }
        >
          {items.length === 0 ? (
            <p className="soft">Nothing was read today.</p>
          ) : (
            <>
              <Table
                label="Quota today"
                columns={columnsOf(organization, limit)}
                rows={quotaLines(items).slice(0, all ? undefined : FEW_LINES)}
                rowKey={({ objects }) => objects[0]!.object}
              />
              <div className="row">
                <span className="soft small">
                  {counted(charged, 'object')} {charged === 1 ? 'was' : 'were'} read today.
                  {charged > items.length && ` The ${count(items.length)} most charged are shown.`}
                </span>
                {quotaLines(items).length > FEW_LINES && (
                  <Button small onClick={() => setAll(!all)}>
                    {all ? 'Show fewer' : 'Show more'}
                  </Button>
                )}
              </div>
            </>
          )}
        </Card>
      )}
    </Loaded>
  )
}

function columnsOf(organization: OrganizationSummary, limit: number | null): Column<QuotaLine>[] {
  const name: Column<QuotaLine> = {
    name: 'Object',
    cell: ({ objects }) => <Objects organization={organization.id} objects={objects} />,
  }
  const ident: Column<QuotaLine> = {
    name: 'Ident',
    cell: ({ objects: [first, ...others] }) => others.length === 0 && <code>{first!.ident}</code>,
  }
  if (limit === null) {
    return [name, ident, { name: 'Reads today', number: true, cell: ({ used }) => count(used) }]
  }
  return [
    name,
    ident,
    { name: 'Used', cell: ({ used }) => <Meter used={used} limit={limit} /> },
    {
      name: 'Left',
      number: true,
      cell: ({ remaining }) =>
        remaining === 0 ? <Badge kind="danger">Exhausted</Badge> : count(remaining ?? 0),
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
      <summary>{count(objects.length)} objects</summary>
      <span className="quota-names">
        {links}
        {objects.length > NAMED && <span>and {count(objects.length - NAMED)} more</span>}
      </span>
    </details>
  )
}
