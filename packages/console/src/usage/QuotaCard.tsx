import { useState } from 'react'
import { Link } from 'wouter'
import { useQuota } from '../api/queries.ts'
import type { OrganizationSummary, Quota } from '../api/types.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { count } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { Meter } from '../ui/Meter.tsx'
import { type Column, Table } from '../ui/Table.tsx'
import { Time } from '../ui/Time.tsx'

type Charged = Quota['items'][number]

const FEW = 10
const MANY = 1_000

export function QuotaCard({ organization }: { organization: OrganizationSummary }) {
  const [all, setAll] = useState(false)
  const quota = useQuota(organization.id, all ? MANY : FEW)
  return (
    <Loaded query={quota} lines={3}>
      {({ limit, resets_at, items, charged }) => (
        <Card
          title="Quota today"
          lead={
            <>
              {limit === null
                ? 'This organization has no quota: what is read of its objects is counted, and never refused. '
                : `Each object is good for ${count(limit)} reads a day; those nearest to their end come first. `}
              Counted anew <Time value={resets_at} as="ago" />, at 00:00 UTC.
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
                rows={items}
                rowKey={({ object }) => object}
              />
              {charged > items.length && (
                <div className="row">
                  <span className="soft small">
                    {count(items.length)} of {count(charged)} objects that were read today.
                  </span>
                  {!all && (
                    <Button small onClick={() => setAll(true)}>
                      Show more
                    </Button>
                  )}
                </div>
              )}
            </>
          )}
        </Card>
      )}
    </Loaded>
  )
}

function columnsOf(organization: OrganizationSummary, limit: number | null): Column<Charged>[] {
  const name: Column<Charged> = {
    name: 'Object',
    cell: (each) => (
      <Link href={`/organizations/${organization.id}/objects/${each.object}`}>{each.name}</Link>
    ),
  }
  const ident: Column<Charged> = { name: 'Ident', cell: (each) => <code>{each.ident}</code> }
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
