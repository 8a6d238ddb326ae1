import { type ReactNode, useRef } from 'react'
import { Link } from 'wouter'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { decimal } from '../ui/format.ts'
import { Icon } from '../ui/Icon.tsx'
import { Time } from '../ui/time/Time.tsx'
import '../ui/Table.css'
import { lastPacket } from './last-packet.ts'
import { MotionMark } from './motion.tsx'
import type { Sorting, SortKey } from './sorting.ts'
import { useWindow } from './window.ts'
import './ObjectTable.css'

/** As the style sheet has it: rows are all alike, so that their place is known without measuring. */
const ROW_HEIGHT = 42

type ObjectColumn = {
  by: SortKey
  name: string
  number?: boolean
  cell: (object: FleetObject, organization: OrganizationSummary) => ReactNode
}

/** First what fits beside the name on a phone: how the object fares, and how old that is. */
const COLUMNS: ObjectColumn[] = [
  {
    by: 'name',
    name: 'Name',
    cell: ({ id, name }, organization) => (
      <Link href={`/organizations/${organization.id}/objects/${id}`} title={name}>
        {name}
      </Link>
    ),
  },
  { by: 'motion', name: 'Motion', cell: ({ motion }) => <MotionMark motion={motion} /> },
  {
    by: 'time_server',
    name: 'Last packet',
    cell: (each) => <Time value={lastPacket(each)} as="ago" quiet />,
  },
  {
    by: 'speed',
    name: 'Speed',
    number: true,
    cell: ({ speed }, { distance_unit }) =>
      speed === null ? '' : `${decimal(speed, 0)} ${distance_unit === 'km' ? 'km/h' : 'mph'}`,
  },
  { by: 'ident', name: 'Ident', cell: ({ ident }) => <code>{ident}</code> },
  { by: 'plate_number', name: 'Plate', cell: (each) => each.plate_number ?? '' },
  {
    by: 'odometer',
    name: 'Odometer',
    number: true,
    cell: ({ odometer }, { distance_unit }) =>
      odometer === null ? '' : `${decimal(odometer, 0)} ${distance_unit}`,
  },
]

type ObjectTableProps = {
  organization: OrganizationSummary
  rows: FleetObject[]
  sorting: Sorting
  onSort: (sorting: Sorting) => void
}

/** A fleet may have tens of thousands of rows: only those in sight are in the page. */
export function ObjectTable({ organization, rows, sorting, onSort }: ObjectTableProps) {
  const frame = useRef<HTMLElement>(null)
  const { from, to } = useWindow(frame, rows.length, ROW_HEIGHT)
  return (
    <section
      ref={frame}
      className={rows.length < 12 ? 'objects-frame few' : 'objects-frame'}
      aria-label="Objects"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by the keyboard
      tabIndex={0}
    >
      <table className="table objects" aria-label="Objects" aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {COLUMNS.map((column) => (
              <Heading key={column.by} column={column} sorting={sorting} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap rows={from} />
          {rows.slice(from, to).map((row, index) => (
            <tr key={row.id} aria-rowindex={from + index + 2}>
              {COLUMNS.map(({ by, number, cell }) =>
                by === 'name' ? (
                  <th key={by} scope="row">
                    {cell(row, organization)}
                  </th>
                ) : (
                  <td key={by} className={number === true ? 'number' : undefined}>
                    {cell(row, organization)}
                  </td>
                ),
              )}
            </tr>
          ))}
          <Gap rows={rows.length - to} />
        </tbody>
      </table>
    </section>
  )
}

type HeadingProps = Pick<ObjectTableProps, 'sorting' | 'onSort'> & { column: ObjectColumn }

function Heading({ column: { by, name, number }, sorting, onSort }: HeadingProps) {
  const current = sorting.by === by
  const direction = sorting.descending ? 'descending' : 'ascending'
  return (
    <th
      scope="col"
      className={number === true ? 'number' : undefined}
      aria-sort={current ? direction : undefined}
    >
      <button
        type="button"
        className="sort"
        onClick={() => onSort({ by, descending: current && !sorting.descending })}
      >
        {name}
        <Icon name={current && sorting.descending ? 'down' : 'up'} size={12} />
      </button>
    </th>
  )
}

/** The room of the rows that are not in the page. */
function Gap({ rows }: { rows: number }) {
  if (rows <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr className="gap" aria-hidden="true">
      <td colSpan={COLUMNS.length} style={{ height: rows * ROW_HEIGHT }} />
    </tr>
  )
}
