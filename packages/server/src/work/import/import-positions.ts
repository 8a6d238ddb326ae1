import { addAll } from '../../base/domain/common/any-number.ts'
import {
  COLUMN_FORMATS,
  IMPORT_FORMATS,
  type MappingSettings,
  type PositionFormat,
  type SavedMapping,
} from '../../base/domain/import-formats.ts'
import type { Organization } from '../../base/domain/organization.ts'
import { SENT } from '../../base/domain/position/field-lists.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import { instantOf } from '../../base/domain/time/time-zone.ts'
import { formerHolder, movesByIdent } from '../../base/domain/tracker-move.ts'
import type { Store } from '../../engine/store/store.ts'
import type { AppendOutcome, NewFix } from '../../engine/tracking/fold-tables.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import { isAhead, REJECT_REASONS } from '../../engine/tracking/rules/judge.ts'
import { isWithheld } from '../../engine/tracking/withheld.ts'
import { readCsvRows } from './formats/csv-rows.ts'
import { readGpxRows } from './formats/gpx.ts'
import { readJsonRows } from './formats/json-rows.ts'
import { readKmlRows } from './formats/kml-rows.ts'
import { readNdjsonRows } from './formats/ndjson-rows.ts'
import { readOwnTracksRows } from './formats/phone-rows.ts'
import type { Source } from './import-source.ts'
import { orderedClocks } from './ordered-clocks.ts'
import { refuseOtherKind } from './other-kind.ts'
import {
  attributeReading,
  type Factors,
  type LocalClocks,
  loneYears,
  POSITION_ESSENTIALS,
  POSITION_FIELDS,
  type Position,
  positionOf,
} from './position-row.ts'
import {
  blameCut,
  type Fault,
  fault,
  ImportMisuse,
  isFault,
  noRemarks,
  type Remarks,
  type Row,
  tooManyObjects,
} from './row.ts'
import { mappingsFor, runImport, saveMapping } from './run-import.ts'
import { unitCheck } from './scale.ts'
import {
  countConflict,
  countDuplicate,
  countRejected,
  emptySummary,
  type ImportSummary,
  type ShownRow,
} from './summary.ts'
import {
  LENGTH_UNITS,
  type LengthUnit,
  SPEED_UNITS,
  type SpeedUnit,
  unreadNumbers,
} from './tables/cells.ts'
import { type Layout, type Mapping, noteUnused } from './tables/column-mapping.ts'
import { refuseNotation } from './tables/find-notation.ts'
import type { GivenNotation } from './tables/notation.ts'
import { OTHER_UNITS } from './tables/units.ts'

export type PositionOptions = {
  format: PositionFormat
  mapping: Mapping
  /** How a CSV file is written, as far as the caller knows it. */
  notation: GivenNotation
  /** The ident of all rows. Null: each row has its own. */
  ident: string | null
  /** The unit of speeds. Null: that of the format, which is km/h in CSV and NDJSON. */
  speedUnit: SpeedUnit | null
  /** The unit of the odometer. Null: the organization's. */
  distanceUnit: LengthUnit | null
  /** The time zone of times without an offset. Null: each object's `device_timezone`, or UTC in GPX and KML. */
  timezone: string | null
  /** Whether an unknown ident creates an object. */
  createObjects: boolean
  clock: Clock
  /** When aborted, the import ends after its current batch. */
  signal: AbortSignal
}

export const BATCH_ROWS = 10_000

/** The part of a row that is kept until its batch is written. Its many cells are dropped. */
type Waiting = Position & ShownRow

/**
 * Imports positions in batches. A late position may leave a mark, from which a server later continues the
 * fold (`work/tasks/refold-and-pack.ts`). Each batch is durable before the next begins, and `onProgress` gets the
 * number of rows read so far. Rejects with `ImportMisuse` before anything is written. Any other reason to
 * stop is in the summary.
 */
export async function importPositions(
  store: Store,
  organization: Organization,
  source: Source,
  options: PositionOptions,
  onProgress: (rows: number) => void,
): Promise<ImportSummary> {
  const { clock, signal } = options
  const summary = emptySummary(source.name)
  const remarks = noRemarks()
  const { rows, objects, read } = await openPositions(store, organization, source, options, remarks)
  const rules = foldRules(clock)
  const moves = movesByIdent(await store.objects.trackerMoves(organization.id))
  /** The idents of the batch without an object. */
  const newcomers = new Set<string>()
  const years = loneYears()

  function take(row: Row): Waiting | null {
    const position = read(row)
    if (isFault(position)) return reject(row, position)
    const { ident, fix } = position
    if (!objects.has(ident)) newcomers.add(ident)
    years.add(fix.timeDevice, row.line)
    if (row.cutField !== null) remarks.notes.add(perhapsCut(source.name, row.cutField))
    return { ident, fix, line: row.line, text: row.text }
  }

  function reject(row: Row, fault: Fault): null {
    countRejected(summary, row, fault)
    return null
  }

  async function write(batch: Waiting[]): Promise<void> {
    if (newcomers.size > 0) {
      const idents = [...newcomers]
      const ensured = await store.objects.ensure(organization.id, idents, clock.now())
      for (const [ident, id] of ensured.ids) objects.set(ident, { id, zone: 'UTC' })
      summary.created += ensured.created
      newcomers.clear()
    }
    const taken = batch.filter(({ ident }) => objects.has(ident))
    const fixes = taken.map(({ ident, fix }): NewFix => {
      const holder = formerHolder(moves, ident, fix.timeDevice)
      return { object: holder ?? objects.get(ident)!.id, fix }
    })
    const outcomes = await store.positions.append(organization.id, fixes, rules)
    for (const [index, position] of taken.entries()) {
      count(summary, position, outcomes[index]!)
      for (const limit in fixes[index]!.dropped) remarks.notes.add(REJECT_REASONS[limit]!)
    }
    if (taken.length === batch.length) return
    for (const position of batch) {
      if (!objects.has(position.ident))
        countRejected(summary, position, tooManyObjects(organization))
    }
  }

  const work = { take, write, batchRows: BATCH_ROWS }
  await runImport(rows, work, summary, remarks, signal, onProgress)
  await saveMapping(store, organization.id, 'positions', options, remarks, summary, clock.now())
  addAll(summary.notes, years.notes(source.name))
  return summary
}

type OpenPositions = {
  rows: AsyncGenerator<Row[]>
  /** The organization's objects by ident. */
  objects: Map<string, KnownObject>
  /** The time zones of objects in which rows were read so far, because neither the times nor the caller name a zone. */
  localZones: ReadonlySet<string>
  /** The position of a row, or why it cannot be one. */
  read(row: Row): Position | Fault
}

/** Opens a source for an import of positions or its preview. */
export async function openPositions(
  store: Store,
  organization: Organization,
  source: Source,
  options: PositionOptions,
  remarks: Remarks,
): Promise<OpenPositions> {
  const { clock, createObjects, ident, format } = options
  const objects = await knownObjects(store, organization.id)
  const saved = await mappingsFor(store, organization.id, 'positions')
  const timezone = () => options.timezone ?? chosenBefore(remarks)?.timezone
  const isInUtc = format === 'gpx' || format === 'kml'
  const localZones = new Set<string>()
  const zoneOf = (ident: string): string => {
    const zone = objects.get(ident)?.zone ?? 'UTC'
    localZones.add(zone)
    return zone
  }
  const deviceZone = (of: string) =>
    timezone() ?? remarks.units.time_device ?? remarks.units.date ?? (isInUtc ? 'UTC' : zoneOf(of))
  const ordered = orderedClocks()
  const clocks: LocalClocks = {
    ofDevice: (of, local) => ordered.instantOf(of, local, deviceZone(of)),
    ofServer: (local) => instantOf(local, timezone() ?? 'UTC'),
  }
  /** The headings of a file may name units, and come with its first row. */
  let factors: Factors | undefined
  const unread = unreadNumbers(remarks)
  const positionIn = ({ cells, line }: Row, units: Factors) =>
    positionOf(cells, units, ident, clocks, clock.now(), (field) => unread.add(field, line))
  const attributes = attributeReading(remarks)

  const distanceUnit = () => options.distanceUnit ?? chosenBefore(remarks)?.distanceUnit
  const check = unitCheck(source.name, (field) => field === 'odometer' && distanceUnit() != null)

  function finish(): void {
    check.finish()
    unread.finish()
    for (const note of ordered.notes(source.name)) remarks.notes.add(note)
    if (format === 'csv' || format === 'ndjson') noteUnused(remarks)
  }

  return {
    rows: beforeEnd(readRows(source, organization, options, saved, remarks), finish),
    objects,
    localZones,
    read(row) {
      factors ??= factorsOf(organization, options, remarks)
      const units = row.isInFixUnits ? FIX_UNITS : factors
      const read = row.fault ?? positionIn(row, units)
      if (row.attributes !== undefined && !isFault(read)) attributes.read(read.fix, row)
      if (isFault(read)) return blameCut(row, read)
      if (!row.isInFixUnits) check.add(read, row, factors)
      if (isAhead(organization, read.fix.timeDevice, clock.now())) {
        return fault('in_future', REJECT_REASONS.in_future!, 'time_device')
      }
      return createObjects || objects.has(read.ident) ? read : unknownIdent(read.ident)
    },
  }
}

/** Finishes the remarks on rows once all of them were taken, or no more are wanted. */
async function* beforeEnd(rows: AsyncGenerator<Row[]>, finish: () => void): AsyncGenerator<Row[]> {
  try {
    yield* rows
  } finally {
    finish()
  }
}

function readRows(
  source: Source,
  organization: Organization,
  options: PositionOptions,
  saved: readonly SavedMapping[],
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const { format, ident, mapping, notation, speedUnit } = options
  const layout: Layout = {
    fields: POSITION_FIELDS,
    mapping,
    given: notation,
    saved,
    required: POSITION_ESSENTIALS.filter((name) => name !== 'ident' || ident === null),
    refuseOtherKind: (columns, name) => refuseOtherKind('positions', mapping, columns, name),
  }
  const distance = LENGTH_UNITS[options.distanceUnit ?? organization.distanceUnit]
  const units = { speedUnit, distance }
  if (format !== 'csv') refuseNotation(notation, source.name)
  if (mapping.size > 0 && !COLUMN_FORMATS.includes(format)) {
    const { name } = IMPORT_FORMATS[format]
    throw new ImportMisuse(`--map names columns, and '${source.name}' is ${name}, which has none`)
  }
  switch (format) {
    case 'csv':
      return readCsvRows(source, layout, remarks)
    case 'ndjson':
      return readNdjsonRows(source, layout, remarks)
    case 'json':
      return readJsonRows(source, layout, units, remarks)
    case 'gpx':
      return readGpxRows(source, POSITION_FIELDS, speedUnit, remarks)
    case 'kml':
      return readKmlRows(source, layout, units, remarks)
    case 'owntracks':
      return readOwnTracksRows(source, POSITION_FIELDS, speedUnit, remarks)
  }
}

/** The units are those that are given, that were chosen before, or that the headings name. */
function factorsOf(
  organization: Organization,
  options: PositionOptions,
  remarks: Remarks,
): Factors {
  const { units } = remarks
  const before = chosenBefore(remarks)
  const speedUnit = options.speedUnit ?? before?.speedUnit ?? units.speed ?? 'kmh'
  const distanceUnit =
    options.distanceUnit ?? before?.distanceUnit ?? units.odometer ?? organization.distanceUnit
  return SENT.map(({ name, unit }) => {
    if (unit === 'km/h') return SPEED_UNITS[speedUnit as SpeedUnit]
    if (unit === 'km') return LENGTH_UNITS[distanceUnit as LengthUnit]
    return OTHER_UNITS[units[name] ?? ''] ?? 1
  })
}

/** The choices of the saved mapping that has the headings of the file. */
function chosenBefore({ table }: Remarks): MappingSettings | undefined {
  return table?.saved?.settings
}

/** The units of `Fix`. */
const FIX_UNITS: Factors = SENT.map(() => 1)

type KnownObject = { id: number; zone: string }

/** The organization's objects by ident. */
async function knownObjects(store: Store, organization: number): Promise<Map<string, KnownObject>> {
  const objects = await store.objects.list(organization)
  return new Map(
    objects.map(({ ident, id, accuracy }) => [ident, { id, zone: accuracy.deviceTimezone }]),
  )
}

function count(summary: ImportSummary, row: Waiting, outcome: AppendOutcome): void {
  if (typeof outcome === 'object') {
    countRejected(summary, row, fault(outcome.rejected, REJECT_REASONS[outcome.rejected] ?? ''))
    return
  }
  if (isWithheld(outcome)) {
    summary.withheld[outcome] = (summary.withheld[outcome] ?? 0) + 1
    return
  }
  switch (outcome) {
    case 'accepted':
      summary.accepted += 1
      break
    case 'duplicate':
      countDuplicate(summary, row, 'this position exists already')
      break
    case 'conflict':
      countConflict(summary, row, 'the object has another position with this time_device')
      break
    case 'unknown_object':
      countRejected(summary, row, unknownIdent(row.ident))
      break
  }
}

function unknownIdent(ident: string): Fault {
  return fault(
    'unknown_ident',
    `no object has the ident '${ident}'; create it, or let the import create objects`,
  )
}

function perhapsCut(source: string, field: string): string {
  return `the last line of '${source}' has no line end: if the file was cut off there, its ${field} is wrong`
}
