import type { OrganizationSummary } from '../api/types.ts'
import { Card } from '../ui/Card.tsx'
import { Figures } from '../ui/Figures.tsx'
import { bytes, count } from '../ui/format.ts'
import { Time } from '../ui/time/Time.tsx'

/** The stored positions of an organization, packed and not. */
export function StoredCard({ positions }: Pick<OrganizationSummary, 'positions'>) {
  return (
    <Card
      title="Stored positions"
      lead={
        <>
          Each hour the server packs positions that are older than two days, which takes a tenth of
          the space and changes no answer. A few of each object wait until there are more.{' '}
          {positions !== null && (
            <>
              Counted <Time value={positions.counted_at} as="ago" />.
            </>
          )}
        </>
      }
    >
      {positions === null ? (
        <p className="soft">
          Not counted yet. The server counts when it has packed for the first time. If another
          process packs, its metrics show it.
        </p>
      ) : (
        <Figures
          items={[
            ['Packed', <Part key="packed" rows={positions.packed} size={positions.packed_bytes} />],
            [
              'Older than two days, not packed',
              <Part key="rows" rows={positions.unpacked} size={positions.unpacked_bytes} />,
            ],
          ]}
        />
      )}
    </Card>
  )
}

function Part({ rows, size }: { rows: number; size: number }) {
  return (
    <>
      {count(rows)} <small>in {bytes(size)}</small>
    </>
  )
}
