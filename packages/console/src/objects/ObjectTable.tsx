import { Link } from 'wouter'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { decimal } from '../ui/format.ts'
import { type LongColumn, LongTable, type Sorting } from '../ui/table/LongTable.tsx'
import { Time } from '../ui/time/Time.tsx'
import { MotionMark } from './motion.tsx'
import type { SortKey } from './sorting.ts'

type ObjectTableProps = {
  organization: OrganizationSummary
  rows: FleetObject[]
  sorting: Sorting<SortKey>
  onSort: (sorting: Sorting<SortKey>) => void
}

export function ObjectTable({ organization, ...table }: ObjectTableProps) {
  return (
    <LongTable
      label="Objects"
      columns={columnsOf(organization)}
      rowKey={({ id }) => id}
      {...table}
    />
  )
}

/** First what fits next to the name on a phone: how the object fares, and how old that is. */
function columnsOf({
  id: organization,
  distance_unit: unit,
}: OrganizationSummary): LongColumn<FleetObject, SortKey>[] {
  return [
    {
      by: 'name',
      name: 'Name',
      cell: ({ id, name }) => (
        <Link href={`/organizations/${organization}/objects/${id}`} title={name}>
          {name}
        </Link>
      ),
    },
    { by: 'motion', name: 'Motion', cell: ({ motion }) => <MotionMark motion={motion} /> },
    {
      by: 'time_server',
      name: 'Last packet',
      cell: ({ time_server }) => <Time value={time_server} as="ago" quiet />,
    },
    {
      by: 'time_device',
      name: 'Last position',
      cell: ({ time_device }) => <Time value={time_device} as="ago" none="" quiet />,
    },
    {
      by: 'speed',
      name: 'Speed',
      number: true,
      cell: ({ speed }) =>
        speed === null ? '' : `${decimal(speed, 0)} ${unit === 'km' ? 'km/h' : 'mph'}`,
    },
    { by: 'ident', name: 'Ident', cell: ({ ident }) => <code>{ident}</code> },
    { by: 'plate_number', name: 'Plate', cell: (each) => each.plate_number ?? '' },
    {
      by: 'odometer',
      name: 'Odometer',
      number: true,
      cell: ({ odometer }) => (odometer === null ? '' : `${decimal(odometer, 0)} ${unit}`),
    },
  ]
}
