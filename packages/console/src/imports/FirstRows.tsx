import { lazy, Suspense, useMemo } from 'react'
import { useServer } from '../api/queries.ts'
import type { ImportPreview } from '../api/types.ts'
import { counted, decimal } from '../ui/format.ts'
import { Note } from '../ui/state/Note.tsx'
import { Skeleton } from '../ui/state/Skeleton.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'

const PointsMap = lazy(async () => ({ default: (await import('../map/index.ts')).PointsMap }))

type Row = ImportPreview['rows'][number]

const SHOWN_ROWS = 5

const COLUMNS: Column<Row>[] = [
  { name: 'Line', cell: ({ line }) => `Line ${line}`, fit: true },
  { name: 'Ident', cell: ({ ident, text }) => ident ?? <code>{text}</code> },
  {
    name: 'Time',
    cell: ({ time_device, rejected }) =>
      rejected ?? <Time value={time_device} as="second" none="" quiet />,
  },
  {
    name: 'Place',
    cell: ({ latitude, longitude }) =>
      latitude === null || longitude === null
        ? ''
        : `${decimal(latitude, 5)}, ${decimal(longitude, 5)}`,
  },
  { name: 'km/h', cell: ({ speed }) => (speed === null ? '' : decimal(speed)), number: true },
]

/** The first rows of a file as the server would store them, on a map and in a table. */
export function FirstRows({ preview: { rows } }: { preview: ImportPreview }) {
  const server = useServer()
  const points = useMemo(
    () =>
      rows.flatMap(({ longitude, latitude }): [number, number][] =>
        longitude === null || latitude === null ? [] : [[longitude, latitude]],
      ),
    [rows],
  )
  const rejected = rows.filter((row) => row.rejected !== null)
  if (rows.length === 0) return null
  return (
    <>
      <h3>First rows</h3>
      {rejected[0] !== undefined && (
        <Note kind="warn">
          {`${counted(rejected.length, 'row')} of the first ${rows.length} would be rejected. Line ${rejected[0].line}: ${rejected[0].rejected}.`}
        </Note>
      )}
      {points.length > 0 && server.data !== undefined && (
        <div className="preview-map import-map">
          <Suspense fallback={<Skeleton lines={3} />}>
            <PointsMap points={points} server={server.data} />
          </Suspense>
        </div>
      )}
      <Table
        label="First rows of the file"
        columns={COLUMNS}
        rows={rows.slice(0, SHOWN_ROWS)}
        rowKey={({ line }) => line}
      />
    </>
  )
}
