import { attributeField, type ImportKind } from '../../base/domain/import-formats.ts'
import type { ItemTopic } from '../../base/domain/item-rules.ts'
import type { Organization } from '../../base/domain/organization.ts'
import { SENT } from '../../base/domain/position/field-lists.ts'
import { documentedName } from '../../base/domain/setting-rule.ts'
import { formatInstant } from '../../base/domain/time/time.ts'
import type { Store } from '../../engine/store/store.ts'
import { type CatalogueOptions, openItems } from './import-catalogue.ts'
import { openPositions, type PositionOptions } from './import-positions.ts'
import type { Source } from './import-source.ts'
import type { Position } from './position-row.ts'
import {
  type ColumnUse,
  type Fault,
  ImportMisuse,
  isFault,
  noRemarks,
  OtherKind,
  type Remarks,
  type Rivals,
  type Row,
  SeveralColumns,
  SourceUnreadable,
  type TableFound,
} from './row.ts'

/** The values of a row by field, in documented names and Fleetgate's units. */
export type Values = Readonly<Record<string, unknown>>

export type PreviewRow = { line: number; text: string; read: Values | Fault }

/** How an import would read a file. */
export type Preview = {
  columns: ColumnUse
  /** How a CSV file is written. Null if the file is not CSV, or has no header. */
  table: TableFound | null
  rows: PreviewRow[]
  /** Remarks, as sentences. */
  notes: string[]
  /** Why the import would be refused, as a sentence. Null: it would not. */
  problem: string | null
  /** The time zones in which times without one are read, if the caller chose none. */
  localZones: string[]
  /** The columns of which one has to be chosen, if several may be meant by one field. */
  rivals: Rivals | null
  /** The imports that accept the file, if it has the columns of another kind. */
  takenBy: readonly ImportKind[]
}

const PREVIEWED_ROWS = 100

/** Reads the first rows of a source, or of its head, as an import would, and writes nothing. */
export function previewPositions(
  store: Store,
  organization: Organization,
  source: Source,
  options: PositionOptions,
): Promise<Preview> {
  return previewOf(async (remarks) => {
    const opened = await openPositions(store, organization, source, options, remarks)
    const { rows, read, localZones } = opened
    return {
      rows,
      localZones,
      read(row) {
        const position = read(row)
        return isFault(position) ? position : positionValues(position)
      },
    }
  })
}

/** The same for objects, geofences, routes or sites. */
export function previewCatalogue(
  store: Store,
  organization: Organization,
  kind: ItemTopic,
  source: Source,
  options: CatalogueOptions,
): Promise<Preview> {
  return previewOf(async (remarks) => {
    const opened = await openItems(store, organization, kind, source, options, remarks)
    return {
      rows: opened.rows,
      async read(row) {
        const settings = await opened.read(row)
        return isFault(settings) ? settings : itemValues(settings, remarks.columns)
      },
    }
  })
}

type Opened = {
  localZones?: ReadonlySet<string>
  rows: AsyncIterable<Row[]>
  read(row: Row): Values | Fault | Promise<Values | Fault>
}

async function previewOf(opening: (remarks: Remarks) => Promise<Opened>): Promise<Preview> {
  const remarks = noRemarks()
  const rows: PreviewRow[] = []
  const omissions = new Map<string, string>()
  let problem: string | null = null
  let localZones: string[] = []
  let rivals: Rivals | null = null
  let takenBy: readonly ImportKind[] = []
  try {
    const opened = await opening(remarks)
    for await (const row of first(withoutOmissions(opened.rows, omissions), PREVIEWED_ROWS)) {
      const read = await opened.read(row)
      // The end of a head cuts a row that is whole in the file.
      if (isFault(read) && read.reason === 'truncated') continue
      rows.push({ line: row.line, text: row.text, read })
    }
    localZones = [...(opened.localZones ?? [])]
  } catch (error) {
    const isUnreadable = error instanceof SourceUnreadable
    if (!isUnreadable && !(error instanceof ImportMisuse)) throw error
    const isRead = rows.length > 0 || omissions.size > 0
    if (!isUnreadable || !isRead) problem = error.message
    if (error instanceof SeveralColumns) rivals = error.rivals
    if (error instanceof OtherKind) takenBy = error.takers
  }
  const { columns, table, notes } = remarks
  return {
    columns,
    table,
    rows,
    notes: [...notes, ...omissions.values()],
    problem,
    localZones,
    rivals,
    takenBy,
  }
}

/** The rows that the import would count as read. `omissions` gets a sentence for each kind of thing left out. */
async function* withoutOmissions(
  portions: AsyncIterable<Row[]>,
  omissions: Map<string, string>,
): AsyncGenerator<Row[]> {
  for await (const portion of portions) {
    yield portion.filter(({ line, fault }) => {
      if (!fault?.isOmission) return true
      const thing = fault.reason.replaceAll('_', ' ')
      if (!omissions.has(thing)) {
        omissions.set(
          thing,
          `each ${thing} is left out, the first in line ${line}: ${fault.detail}`,
        )
      }
      return false
    })
  }
}

async function* first(portions: AsyncIterable<Row[]>, most: number): AsyncGenerator<Row> {
  let remaining = most
  for await (const portion of portions) {
    yield* portion.slice(0, remaining)
    remaining -= portion.length
    if (remaining <= 0) return
  }
}

function positionValues({ ident, fix }: Position): Values {
  const { latitude, longitude, ignition, address, attributes } = fix
  const measured = SENT.map(({ name, key }) => [name, fix[key]])
  const values = {
    ident,
    time_device: formatInstant(fix.timeDevice),
    latitude,
    longitude,
    ...Object.fromEntries(measured),
    ignition,
    address,
    ...Object.fromEntries(
      (attributes ?? []).map(({ name, value }) => [attributeField(name), value]),
    ),
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}

/** The values of the name, and of the fields that have a column. Shapes are left out: they have any length. */
function itemValues(settings: object, { used, guessed }: ColumnUse): Values {
  const { accuracy = {}, ...others } = settings as { accuracy?: object }
  const values = Object.entries({ ...others, ...accuracy }).map(
    ([key, value]): [string, unknown] => [documentedName(key), value],
  )
  const isShown = (name: string) => name === 'name' || name in used || name in guessed
  return Object.fromEntries(
    values.filter(([name, value]) => isShown(name) && value !== null && typeof value !== 'object'),
  )
}
