import { isDeepStrictEqual } from 'node:util'
import { runInTurns } from '../../base/domain/common/slots.ts'
import {
  type CatalogueFormat,
  catalogueFormats,
  type SavedMapping,
} from '../../base/domain/import-formats.ts'
import {
  byTopic,
  type ItemTopic,
  LIST_TOPICS,
  type ListTopic,
} from '../../base/domain/item-rules.ts'
import type { ObjectSettings } from '../../base/domain/monitored-object.ts'
import type { Organization } from '../../base/domain/organization.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import type { ItemEntry, ItemStore, PutOutcome } from '../../engine/store/item-store.ts'
import type { Store } from '../../engine/store/store.ts'
import {
  type CatalogueKind,
  type Existing,
  type Item,
  type Register,
  readId,
  registerOf,
} from './catalogue-kind.ts'
import { readCsvRows } from './formats/csv-rows.ts'
import { readGeoJsonRows } from './formats/geojson-rows.ts'
import { readGpxPlaces } from './formats/gpx.ts'
import { readKmlPlaces } from './formats/kml-places.ts'
import { readNdjsonRows } from './formats/ndjson-rows.ts'
import type { Source } from './import-source.ts'
import { LISTED_KINDS, objectKind } from './item-kinds.ts'
import { formatOfOthers, refuseOtherKind } from './other-kind.ts'
import {
  blameCut,
  type Fault,
  fault,
  isFault,
  noRemarks,
  placeLimitFault,
  type Remarks,
  type Row,
  tooManyObjects,
} from './row.ts'
import { mappingsFor, runImport, saveMapping } from './run-import.ts'
import {
  countConflict,
  countDuplicate,
  countRejected,
  emptySummary,
  type ImportSummary,
  type ShownRow,
} from './summary.ts'
import { LENGTH_UNITS, type LengthUnit, textIn } from './tables/cells.ts'
import type { Field, Layout, Mapping } from './tables/column-mapping.ts'
import { refuseNotation } from './tables/find-notation.ts'
import type { GivenNotation } from './tables/notation.ts'

export type CatalogueOptions = {
  format: CatalogueFormat
  mapping: Mapping
  /** How a CSV file is written, as far as the caller knows it. */
  notation: GivenNotation
  /** The unit of objects' odometer and mileage. Null: the organization's. */
  distanceUnit: LengthUnit | null
  /** Whether a new item gets the id of its row. All organizations share these ids, and see gaps and collisions. */
  keepsIds: boolean
  clock: Clock
  /** When aborted, the import ends after its current batch. */
  signal: AbortSignal
}

const BATCH_ROWS = 2_000

/** The fields that `--map` accepts. */
export const CATALOGUE_FIELDS: Readonly<Record<ItemTopic, readonly Field[]>> = {
  objects: objectKind(1).fields,
  ...byTopic(LIST_TOPICS, (topic) => LISTED_KINDS[topic].fields),
}

/**
 * Imports objects, geofences, routes or sites. An existing item matches by `id`, else by `name` (objects:
 * `ident`), and keeps what its row does not give. A row for the same item as an earlier row is a
 * duplicate or a conflict. Rejects with `ImportMisuse` before anything is written. Any other reason to
 * stop is in the summary.
 */
export function importCatalogue(
  store: Store,
  organization: Organization,
  kind: ItemTopic,
  source: Source,
  options: CatalogueOptions,
  onProgress: (rows: number) => void,
): Promise<ImportSummary> {
  const file = { store, organization, kind, source, options }
  return kind === 'objects'
    ? importInto(file, store.objects, objectsIn(organization), onProgress)
    : importInto(file, listOf(store, kind), placesOf(kind), onProgress)
}

/** A file to import, and its organization. */
type ItemFile = {
  store: Store
  organization: Organization
  kind: ItemTopic
  source: Source
  options: CatalogueOptions
}

/** A kind as the rows of a file with this unit of distances are read. Null: the usual unit. */
type KindIn<Settings> = (unit: LengthUnit | null) => CatalogueKind<Settings>

function objectsIn({ distanceUnit }: Organization): KindIn<ObjectSettings> {
  return (unit) => objectKind(LENGTH_UNITS[unit ?? distanceUnit])
}

function placesOf(kind: ListTopic): KindIn<object> {
  return () => LISTED_KINDS[kind] as CatalogueKind<object>
}

function listOf(store: Store, kind: ListTopic) {
  return store[kind] as ItemStore<never, object>
}

type Waiting<Settings> = ShownRow & { entry: ItemEntry<Settings> }

/** The settings of a row, and the item that they are for. */
type Read<Settings> = {
  id: number | undefined
  existing: Existing<Settings> | undefined
  settings: Partial<Settings>
}

/** The settings that an item would have after a row, or why the row would be rejected. */
export type OpenItems = {
  rows: AsyncGenerator<Row[]>
  read(row: Row): Promise<object | Fault>
}

/** Opens a source for a preview of objects, geofences, routes or sites. */
export async function openItems(
  store: Store,
  organization: Organization,
  kind: ItemTopic,
  source: Source,
  options: CatalogueOptions,
  remarks: Remarks,
): Promise<OpenItems> {
  const file = { store, organization, kind, source, options }
  const opened =
    kind === 'objects'
      ? await openRows(file, store.objects, objectsIn(organization), remarks)
      : await openRows(file, listOf(store, kind), placesOf(kind), remarks)
  return {
    rows: opened.rows,
    async read(row: Row) {
      const found = await opened.read(row)
      return isFault(found) ? found : found.settings
    },
  }
}

/** The rows of a source, what they say, and the items that exist. */
async function openRows<Settings extends object>(
  { store, organization, kind: name, source, options }: ItemFile,
  items: ItemStore<Item<Settings>, Settings>,
  kindIn: KindIn<Settings>,
  remarks: Remarks,
) {
  const usual = kindIn(options.distanceUnit)
  const register = registerOf(await items.list(organization.id), usual)
  const saved = await mappingsFor(store, organization.id, name)
  /** The kind in the unit of a saved mapping, which comes with the first row. */
  let kind: CatalogueKind<Settings> | undefined
  return {
    rows: readRows(source, name, usual, options, saved, remarks),
    register,
    read(row: Row) {
      const unit = options.distanceUnit ?? remarks.table?.saved?.settings.distanceUnit ?? null
      kind ??= kindIn(unit as LengthUnit | null)
      return readRow(row, kind, register, remarks)
    },
  }
}

async function readRow<Settings extends object>(
  row: Row,
  kind: CatalogueKind<Settings>,
  register: Register<Settings>,
  remarks: Remarks,
): Promise<Read<Settings> | Fault> {
  if (row.fault !== null) return blameCut(row, row.fault)
  const id = readId(row.cells[0])
  if (typeof id === 'object') return blameCut(row, id)
  const existing = register.find(id, textIn(row.cells[1]))
  const read = kind.read(row.cells, existing?.settings ?? kind.defaults, remarks)
  const settings = await runInTurns(read)
  if (isFault(settings)) return blameCut(row, settings)
  const missing = kind.essentials.find((essential) => settings[essential] === undefined)
  return missing === undefined
    ? { id, existing, settings }
    : blameCut(row, fault('missing_field', `${missing} is missing`))
}

async function importInto<Settings extends object>(
  file: ItemFile,
  items: ItemStore<Item<Settings>, Settings>,
  kindIn: KindIn<Settings>,
  onProgress: (rows: number) => void,
): Promise<ImportSummary> {
  const { store, organization, source, options } = file
  const summary = emptySummary(source.name)
  const remarks = noRemarks()
  const { rows, register, read: readNext } = await openRows(file, items, kindIn, remarks)

  async function take(row: Row): Promise<Waiting<Settings> | null> {
    const read = await readNext(row)
    if (isFault(read)) {
      countRejected(summary, row, read)
      return null
    }
    const { id, existing, settings } = read
    if (existing?.claimed) {
      countRepeated(summary, row, isDeepStrictEqual(settings, existing.settings))
      return null
    }
    register.claim(existing?.id ?? id, settings)
    const isDropped = existing === undefined && id !== undefined && !options.keepsIds
    if (isDropped) remarks.notes.add(IDS_REPLACED)
    const entry = { ...(settings as Settings), id: isDropped ? undefined : (existing?.id ?? id) }
    return { line: row.line, text: row.text, entry }
  }

  async function write(batch: Waiting<Settings>[]): Promise<void> {
    const entries = batch.map(({ entry }) => entry)
    const outcomes = await items.put(organization.id, entries, options.clock.now())
    for (const [index, waiting] of batch.entries()) {
      count(summary, remarks, organization, waiting, outcomes[index]!)
    }
  }

  const work = { take, write, batchRows: BATCH_ROWS }
  await runImport(rows, work, summary, remarks, options.signal, onProgress)
  const now = options.clock.now()
  await saveMapping(store, organization.id, file.kind, options, remarks, summary, now)
  return summary
}

function readRows<Settings>(
  source: Source,
  name: ItemTopic,
  kind: CatalogueKind<Settings>,
  options: CatalogueOptions,
  saved: readonly SavedMapping[],
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const { mapping, notation, format } = options
  const layout: Layout = {
    fields: kind.fields,
    mapping,
    given: notation,
    saved,
    required: [kind.matchedBy],
    refuseOtherKind: (columns, file) => refuseOtherKind(name, mapping, columns, file),
  }
  if (format !== 'csv') refuseNotation(notation, source.name)
  if (format === 'csv') return readCsvRows(source, layout, remarks)
  if (format === 'ndjson') return readNdjsonRows(source, layout, remarks)
  if (name === 'objects' || !catalogueFormats(name).includes(format)) {
    throw formatOfOthers(source.name, format)
  }
  switch (format) {
    case 'geojson':
      return readGeoJsonRows(source, layout, remarks)
    case 'gpx':
      return readGpxPlaces(source, name, layout, remarks)
    case 'kml':
      return readKmlPlaces(source, name, layout, remarks)
  }
}

function count(
  summary: ImportSummary,
  remarks: Remarks,
  organization: Organization,
  row: Waiting<object>,
  outcome: PutOutcome,
): void {
  switch (outcome.outcome) {
    case 'created':
    case 'updated':
      summary.accepted += 1
      summary[outcome.outcome] += 1
      if (row.entry.id !== undefined && outcome.id !== row.entry.id) remarks.notes.add(IDS_TAKEN)
      break
    case 'unchanged':
      countDuplicate(summary, row, 'it exists already, unchanged')
      break
    case 'ident_taken':
      countConflict(summary, row, 'another object has this ident')
      break
    case 'limit_of_objects':
      countRejected(summary, row, tooManyObjects(organization))
      break
    case 'limit_of_places':
    case 'limit_of_vertices':
      countRejected(summary, row, placeLimitFault(organization, outcome))
      break
  }
}

const IDS_REPLACED = 'rows with an id that does not exist in the organization got new ids'
const IDS_TAKEN = 'some ids belong to other items: their rows got new ids'

function countRepeated(summary: ImportSummary, row: Row, isSame: boolean): void {
  if (isSame) countDuplicate(summary, row, 'an earlier row has the same values')
  else countConflict(summary, row, 'an earlier row for the same item has other values')
}
