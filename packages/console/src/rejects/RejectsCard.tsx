import { useRejects } from '../api/queries.ts'
import type { FleetObject, OrganizationSummary, Rejects } from '../api/types.ts'
import { Card } from '../ui/Card.tsx'
import { decimal, placeText } from '../ui/format.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { rejectInWords } from './reject-words.ts'

type Reject = Rejects['items'][number]

const COLUMNS: Column<Reject & { key: number }>[] = [
  { name: 'Why', cell: rejectInWords },
  { name: 'Position', fit: true, cell: ({ stored }) => (stored ? 'Stored' : 'Not stored') },
  {
    name: 'Received',
    cell: (each) => <Time value={each.time_server} as="second" none="unknown" />,
  },
  {
    name: 'Time of device',
    cell: (each) => <Time value={each.time_device} as="second" none="unknown" />,
  },
  { name: 'HDOP', number: true, cell: ({ hdop }) => (hdop === null ? '' : decimal(hdop)) },
  { name: 'GPS level', number: true, cell: ({ gps_level }) => gps_level ?? '' },
  { name: 'Where', cell: placeText },
]

type RejectsCardProps = { organization: OrganizationSummary; object: FleetObject }

export function RejectsCard({ organization, object }: RejectsCardProps) {
  const rejects = useRejects(organization.id, object.id)
  return (
    <Card
      title="Packets that were not accepted"
      lead="A vehicle that seems to jump or to stop often sends such packets. The list also has packets that were stored without some of their values. The newest come first."
    >
      <Loaded query={rejects} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">
              {object.time_server === null
                ? 'No packet has come yet: the tracker does not send, has no valid feed token, or sends another ident.'
                : 'All recent packets were accepted.'}
            </p>
          ) : (
            <Table
              label="Packets that were not accepted"
              columns={COLUMNS}
              rows={items.map((each, key) => ({ ...each, key }))}
              rowKey={({ key }) => key}
            />
          )
        }
      </Loaded>
    </Card>
  )
}
