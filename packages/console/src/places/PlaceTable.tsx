import { useState } from 'react'
import { Link } from 'wouter'
import type { PlaceKind } from '../api/queries.ts'
import type { Geofence, OrganizationSummary, Route, Site } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { count, decimal } from '../ui/format.ts'
import { KINDS, type Place } from '../ui/place-kinds.ts'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'

type PlaceTableProps = {
  organization: OrganizationSummary
  kind: PlaceKind
  rows: Place[]
  onDelete: (place: Place) => void
}

/** Show more on request: some operators import whole cities. */
const PAGE = 200

export function PlaceTable({ organization, kind, rows, onDelete }: PlaceTableProps) {
  const [shown, setShown] = useState(PAGE)
  const columns: Column<Place>[] = [
    {
      name: t('Name'),
      cell: ({ id, name }) => (
        <Link href={`/organizations/${organization.id}/places/${kind}/${id}`}>{name}</Link>
      ),
    },
    { name: t('Description'), cell: ({ description }) => description ?? '' },
    ...OF_KIND[kind],
    { name: t('Changed'), cell: ({ updated_at }) => <Time value={updated_at} as="ago" /> },
    {
      name: t('Actions'),
      actions: true,
      cell: (each) => (
        <Button
          small
          look="remove"
          aria-label={t('Delete {{name}}', { name: each.name })}
          onClick={() => onDelete(each)}
        >
          {t('Delete')}
        </Button>
      ),
    },
  ]
  return (
    <>
      <Table
        label={KINDS[kind].title}
        columns={columns}
        rows={rows.slice(0, shown)}
        rowKey={({ id }) => id}
      />
      {rows.length > shown && (
        <div className="row">
          <span className="soft small">
            {t('{{shown}} of {{length}}', { shown: count(shown), length: count(rows.length) })}
          </span>
          <Button small onClick={() => setShown(shown + PAGE * 5)}>
            {t('Show more')}
          </Button>
        </div>
      )}
    </>
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
      name: t('Where'),
      cell: (place) => {
        const { latitude, longitude } = place as Site
        return `${decimal(latitude, 4)}, ${decimal(longitude, 4)}`
      },
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
