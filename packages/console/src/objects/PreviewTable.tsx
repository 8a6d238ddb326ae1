import type { Organization, Preview, PreviewOutcome } from '../api/types.ts'
import { t } from '../language/text.ts'
import { count, decimal } from '../ui/format.ts'
import { Table } from '../ui/table/Table.tsx'
import { duration } from '../ui/time/duration.ts'

type Row = {
  name: string
  before: number
  after: number
  text: (value: number) => string
}

type PreviewTableProps = { preview: Preview; unit: Organization['distance_unit'] }

export function PreviewTable({ preview: { before, after }, unit }: PreviewTableProps) {
  const distance = (value: number) => `${decimal(value, 1)} ${unit}`
  const row = (name: string, of: (outcome: PreviewOutcome) => number, text = count): Row => ({
    name,
    before: of(before),
    after: of(after),
    text,
  })
  const rows = [
    row(t('Distance'), (each) => each.distance, distance),
    row(t('Driving'), (each) => each.moving_seconds * 1_000, duration),
    row(t('Idle'), (each) => each.idle_seconds * 1_000, duration),
    row(t('Stops'), (each) => each.stops.length),
    row(t('Positions accepted'), (each) => each.accepted),
    row(t('Positions shown'), (each) => each.positions),
    ...messagesOf(before, after).map(([reason, message]) =>
      row(t('Rejected: {{message}}', { message }), (each) => refusedOf(each, reason)),
    ),
  ]
  return (
    <Table
      label={t('Before and after')}
      stays
      rows={rows}
      rowKey={({ name }) => name}
      columns={[
        { name: t('Metric'), cell: ({ name }) => name },
        { name: t('Now'), number: true, cell: (each) => each.text(each.before) },
        {
          name: t('After'),
          number: true,
          cell: (each) => <strong>{each.text(each.after)}</strong>,
        },
        { name: t('Difference'), number: true, cell: (each) => <Difference row={each} /> },
      ]}
    />
  )
}

function Difference({ row: { before, after, text } }: { row: Row }) {
  const difference = after - before
  if (Math.abs(difference) < 0.05) return <span className="difference-none">–</span>
  return `${difference > 0 ? '+' : '−'}${text(Math.abs(difference))}`
}

function messagesOf(...outcomes: PreviewOutcome[]): [reason: string, message: string][] {
  return [
    ...new Map(
      outcomes.flatMap(({ refused }) => refused.map(({ reason, message }) => [reason, message])),
    ),
  ]
}

function refusedOf({ refused }: PreviewOutcome, wanted: string): number {
  return refused.find(({ reason }) => reason === wanted)?.positions ?? 0
}
