import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { count } from '../ui/format.ts'
import { Table } from '../ui/table/Table.tsx'
import { meaningOf, STATUS_KINDS } from './statuses.ts'
import type { OperationTally } from './tally.ts'

export function OperationsCard({ operations }: { operations: OperationTally[] }) {
  const busiest = operations[0]!.requests
  return (
    <Card
      title={t('Requests by operation')}
      lead={t('Requests and response codes in this period.')}
    >
      <Table
        label={t('Requests by operation')}
        rows={operations}
        rowKey={({ operation }) => operation}
        columns={[
          {
            name: t('Operation'),
            cell: ({ operation }) =>
              operation === 'none' ? t('Unknown path') : <code>{operation}</code>,
          },
          { name: t('Requests'), number: true, cell: ({ requests }) => count(requests) },
          { name: t('Proportion'), cell: (each) => <Shares tally={each} busiest={busiest} /> },
          { name: t('By status'), cell: (each) => <Statuses tally={each} /> },
        ]}
      />
    </Card>
  )
}

function Statuses({ tally: { statuses } }: { tally: OperationTally }) {
  return (
    <span className="statuses">
      {statuses.map(([status, requests]) => (
        <span key={status} title={meaningOf(status)}>
          <strong>{status}</strong> {count(requests)}
        </span>
      ))}
    </span>
  )
}

/** A bar for the number next to it, for comparison at a glance. */
function Shares({
  tally: { counts, requests },
  busiest,
}: {
  tally: OperationTally
  busiest: number
}) {
  return (
    <span className="shares" aria-hidden="true">
      {STATUS_KINDS.filter((kind) => counts[kind] > 0).map((kind) => (
        <i
          key={kind}
          className={`series-${kind}`}
          style={{ width: `${(requests / busiest) * (counts[kind] / requests) * 100}%` }}
        />
      ))}
    </span>
  )
}
