import { Suspense, useMemo } from 'react'
import {
  ATTRIBUTE_PREFIX,
  type ImportKind,
} from '../../../server/src/base/domain/import-formats.ts'
import { useServer } from '../api/queries.ts'
import type { ImportPreview } from '../api/types.ts'
import { said } from '../language/said.ts'
import { t } from '../language/text.ts'
import { decimal } from '../ui/format.ts'
import { lazily } from '../ui/page/lazily.ts'
import { Note } from '../ui/state/Note.tsx'
import { Skeleton } from '../ui/state/Skeleton.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { labelOf, withoutAdvice } from './file-options.ts'

const PointsMap = lazily(() => import('../map/index.ts'), 'PointsMap')

type Row = ImportPreview['rows'][number]

const SHOWN_ROWS = 5
/** More columns do not fit next to each other. */
const SHOWN_FIELDS = 5

const LINE: Column<Row> = {
  name: t('Line'),
  cell: ({ line }) => t('Line {{line}}', { line }),
  fit: true,
}

const POSITION_COLUMNS: Column<Row>[] = [
  LINE,
  { name: t('Ident'), cell: ({ values, text }) => textOf(values?.ident) ?? <code>{text}</code> },
  {
    name: t('Time'),
    cell: ({ values, rejected }) =>
      reasonOf(rejected) ?? (
        <Time value={textOf(values?.time_device) ?? null} as="second" none="" quiet />
      ),
  },
  {
    name: t('Coordinates'),
    cell: (row) => {
      const place = placeOf(row)
      return place === null ? '' : `${decimal(place[1], 5)}, ${decimal(place[0], 5)}`
    },
  },
  {
    name: 'km/h',
    cell: ({ values }) => (typeof values?.speed === 'number' ? decimal(values.speed) : ''),
    number: true,
  },
]

const ATTRIBUTES: Column<Row> = {
  name: t('Attributes'),
  cell: ({ values }) =>
    attributesIn(values)
      .map(([name, value]) => `${name}: ${value}`)
      .join(', '),
}

function attributesIn(values: Row['values']): [name: string, value: unknown][] {
  return Object.entries(values ?? {}).flatMap(([field, value]): [string, unknown][] =>
    field.startsWith(ATTRIBUTE_PREFIX) ? [[field.slice(ATTRIBUTE_PREFIX.length), value]] : [],
  )
}

function positionColumns(rows: readonly Row[]): Column<Row>[] {
  const hasAttributes = rows.some(({ values }) => attributesIn(values).length > 0)
  return hasAttributes ? [...POSITION_COLUMNS, ATTRIBUTES] : POSITION_COLUMNS
}

/** The line, and the fields that any of the rows has. */
function itemColumns(rows: readonly Row[]): Column<Row>[] {
  const names = new Set(rows.flatMap(({ values }) => Object.keys(values ?? {})))
  const fields = [...names].slice(0, SHOWN_FIELDS)
  return [
    LINE,
    ...fields.map(
      (name, at): Column<Row> => ({
        name: labelOf(name),
        cell: ({ values, text, rejected }) => {
          if (values === null)
            return at === 0 ? <code>{text}</code> : at === 1 ? reasonOf(rejected) : ''
          return String(values[name] ?? '')
        },
      }),
    ),
  ]
}

/** Why a row would be rejected. */
function reasonOf(rejected: string | null): string | null {
  return rejected === null ? null : said(withoutAdvice(rejected))
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Longitude and latitude, or null. */
function placeOf({ values }: Row): [number, number] | null {
  const { longitude, latitude } = values ?? {}
  return typeof longitude === 'number' && typeof latitude === 'number'
    ? [longitude, latitude]
    : null
}

type FirstRowsProps = { kind: ImportKind; preview: ImportPreview }

/** The first rows of a file as the server would store them, in a table and on a map. */
export function FirstRows({ kind, preview: { rows } }: FirstRowsProps) {
  const server = useServer()
  const points = useMemo(
    () =>
      rows.flatMap((row): [number, number][] => {
        const place = placeOf(row)
        return place === null ? [] : [place]
      }),
    [rows],
  )
  const rejected = rows.filter((row) => row.rejected !== null)
  if (rows.length === 0) return null
  return (
    <>
      <h3>{t('First rows, as they would be stored')}</h3>
      {rejected[0] !== undefined && (
        <Note kind="warn">
          {t(
            '{{count, number}} of the first {{length}} rows would be rejected. Line {{line}}: {{rejected}}.',
            {
              count: rejected.length,
              length: rows.length,
              line: rejected[0].line,
              rejected: reasonOf(rejected[0].rejected) ?? '',
            },
          )}
        </Note>
      )}
      <Table
        label={t('First rows of the file')}
        columns={kind === 'positions' ? positionColumns(rows) : itemColumns(rows)}
        rows={rows.slice(0, SHOWN_ROWS)}
        rowKey={({ line }) => line}
      />
      {points.length > 0 && server.data !== undefined && (
        <div className="preview-map import-map">
          <Suspense fallback={<Skeleton lines={3} />}>
            <PointsMap points={points} server={server.data} />
          </Suspense>
        </div>
      )}
    </>
  )
}
