import type { PlaceKind } from '../api/queries.ts'
import type { Geofence, OrganizationSummary, Route, Site } from '../api/types.ts'
import { t } from '../language/text.ts'
import { count, decimal, placeText } from '../ui/format.ts'
import { KINDS, type Place } from '../ui/place-kinds.ts'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'

type PlaceTableProps = {
  organization: OrganizationSummary
  kind: PlaceKind
  rows: Place[]
  onDelete: (place: Place) => void
}

export function PlaceTable({ organization, kind, rows, onDelete }: PlaceTableProps) {
  const columns: Column<Place>[] = [
    { name: t('Name'), cell: ({ name }) => name },
    { name: t('Description'), cell: ({ description }) => description ?? '' },
    ...OF_KIND[kind],
    { name: t('Last updated'), cell: ({ updated_at }) => <Time value={updated_at} as="ago" /> },
  ]
  return (
    <Table
      label={KINDS[kind].title}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      href={({ id }) => `/organizations/${organization.id}/places/${kind}/${id}`}
      menu={(place) => ({
        label: t('Actions for {{name}}', { name: place.name }),
        items: [{ name: t('Delete'), onAction: () => onDelete(place), isDanger: true }],
      })}
    />
  )
}

const meters = (value: number | null) => (value === null ? '' : `${decimal(value, 0)} m`)

const color: Column<Place> = {
  name: t('Color'),
  cell: (place) => <Swatch color={(place as Geofence | Route).color} />,
}

const OF_KIND: Record<PlaceKind, Column<Place>[]> = {
  geofences: [
    color,
    { name: t('Corners'), number: true, cell: (place) => count(cornersOf(place as Geofence)) },
  ],
  routes: [
    color,
    {
      name: t('Allowed deviation'),
      number: true,
      cell: (place) => meters((place as Route).deviation),
    },
    { name: t('Waypoints'), number: true, cell: (place) => count((place as Route).points.length) },
  ],
  sites: [
    { name: t('Radius'), number: true, cell: (place) => meters((place as Site).radius) },
    {
      name: t('Location'),
      cell: (place) => placeText(place as Site),
    },
  ],
}

/** The first vertex may or may not be repeated at the end. */
function cornersOf({ coordinates }: Geofence): number {
  const [first, last] = [coordinates[0], coordinates.at(-1)]
  const closed = first !== undefined && first[0] === last?.[0] && first[1] === last[1]
  return coordinates.length - (closed && coordinates.length > 1 ? 1 : 0)
}

function Swatch({ color }: { color: string | null }) {
  if (color === null) return null
  return (
    <span className="swatch">
      <i style={{ background: color }} />
      <code>{color}</code>
    </span>
  )
}
