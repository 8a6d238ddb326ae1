import { Link } from 'wouter'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
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
      label={t('Objects')}
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
      name: t('Name'),
      cell: ({ id, name }) => (
        <Link href={`/organizations/${organization}/objects/${id}`} title={name}>
          {name}
        </Link>
      ),
    },
    { by: 'motion', name: t('Motion'), cell: ({ motion }) => <MotionMark motion={motion} /> },
    {
      by: 'time_server',
      name: t('Last packet'),
      cell: ({ time_server }) => <Time value={time_server} as="ago" quiet />,
    },
    {
      by: 'time_device',
      name: t('Last position'),
      cell: ({ time_device }) => <Time value={time_device} as="ago" none="" quiet />,
    },
    {
      by: 'speed',
      name: t('Speed'),
      number: true,
      cell: ({ speed }) =>
        speed === null ? '' : `${decimal(speed, 0)} ${unit === 'km' ? 'km/h' : 'mph'}`,
    },
    { by: 'ident', name: t('Ident'), cell: ({ ident }) => <code>{ident}</code> },
    { by: 'plate_number', name: t('Plate'), cell: (each) => each.plate_number ?? '' },
    {
      by: 'odometer',
      name: t('Odometer'),
      number: true,
      cell: ({ odometer }) => (odometer === null ? '' : `${decimal(odometer, 0)} ${unit}`),
    },
  ]
}
