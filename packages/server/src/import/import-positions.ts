import type { Clock } from '../domain/clock.ts'
import type { Organization } from '../domain/organization.ts'
import { OBJECT_DEFAULTS } from '../domain/tracked-object.ts'
import type { AppendOutcome, Store } from '../store/store.ts'
import { fold } from '../tracking/fold.ts'
import type { Mapping } from './columns.ts'
import { readCsvRows } from './csv-rows.ts'
import { readGpxRows } from './gpx-rows.ts'
import { ImportMisuse, SourceUnreadable } from './misuse.ts'
import { readNdjsonRows } from './ndjson-rows.ts'
import {
  type Factors,
  POSITION_ESSENTIALS,
  POSITION_FIELDS,
  type Position,
  positionOf,
} from './position-row.ts'
import { type Fault, fault, isFault, type Remarks, type Row } from './row.ts'
import type { Source } from './source.ts'
import {
  countConflict,
  countDuplicate,
  countRejected,
  emptySummary,
  type ImportSummary,
} from './summary.ts'
import { LENGTH_UNITS, type LengthUnit, SPEED_UNITS, type SpeedUnit } from './units.ts'

export const POSITION_FORMATS = ['csv', 'ndjson', 'gpx'] as const
export type PositionFormat = (typeof POSITION_FORMATS)[number]

export type PositionOptions = {
  format: PositionFormat
  mapping: Mapping
  /** Whose positions these are, whatever the rows say; null leaves it to them. */
  ident: string | null
  /** Null: km/h, of GPX m/s. */
  speedUnit: SpeedUnit | null
  /** Of odometer and mileage; null: the organization's. */
  distanceUnit: LengthUnit | null
  /** Whether an ident that is not known makes an object. */
  createObjects: boolean
  clock: Clock
  /** Aborted, the import ends after the batch it is at. */
  signal: AbortSignal
}

/** Rows that one transaction writes, and one sync makes durable. */
const BATCH = 5_000

type Waiting = Position & { row: Row }

/**
 * Writes the positions of a source into the store, in batches, each durable before the next begins.
 * After each `onProgress` hears how many rows were read. Rejects with `ImportMisuse`, before anything
 * was written; what else keeps it from reading on is told in the summary.
 */
export async function importPositions(
  store: Store,
  organization: Organization,
  source: Source,
  options: PositionOptions,
  onProgress: (rows: number) => void,
): Promise<ImportSummary> {
  const summary = emptySummary(source.name)
  const remarks: Remarks = { truncated: false, notes: new Set() }
  const objects = await knownObjects(store, organization.id)
  const factors = factorsOf(organization, options)
  const { clock, createObjects, ident: givenIdent, signal } = options
  let batch: Waiting[] = []

  async function flush(): Promise<void> {
    if (createObjects) {
      summary.created += await makeObjects(store, organization.id, batch, objects, clock.now())
    }
    const fixes = batch.map(({ ident, fix }) => ({ object: objects.get(ident)!, fix }))
    const outcomes = await store.positions.append(organization.id, fixes, fold)
    for (const [index, { row, ident }] of batch.entries()) {
      count(summary, row, ident, outcomes[index]!)
    }
    batch = []
    onProgress(summary.read)
  }

  function take(row: Row, now: number): void {
    summary.read += 1
    const read = row.fault ?? positionOf(row.cells, factors, givenIdent, now)
    if (isFault(read)) countRejected(summary, row, read)
    else if (!createObjects && !objects.has(read.ident)) {
      countRejected(summary, row, unknownIdent(read.ident))
    } else {
      batch.push({ ident: read.ident, fix: read.fix, row })
      if (row.cutField !== null) remarks.notes.add(perhapsCut(source.name, row.cutField))
    }
  }

  try {
    for await (const rows of readRows(source, options, remarks)) {
      const now = clock.now()
      for (const row of rows) {
        take(row, now)
        if (batch.length === BATCH) await flush()
        if (signal.aborted) break
      }
      if (signal.aborted) break
    }
  } catch (error) {
    if (!signal.aborted) {
      if (!(error instanceof SourceUnreadable)) throw error
      summary.stopped = error.message
    }
  }
  if (batch.length > 0) await flush()
  if (signal.aborted) summary.stopped = INTERRUPTED
  summary.truncated ||= remarks.truncated
  summary.notes.push(...remarks.notes)
  return summary
}

const INTERRUPTED =
  'interrupted; what was read is in, and running it again is safe: it counts as duplicate'

function readRows(
  source: Source,
  options: PositionOptions,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const { format, ident, mapping } = options
  switch (format) {
    case 'csv': {
      const required = POSITION_ESSENTIALS.filter((name) => name !== 'ident' || ident === null)
      return readCsvRows(source, POSITION_FIELDS, mapping, required)
    }
    case 'ndjson':
      return readNdjsonRows(source, POSITION_FIELDS, mapping)
    case 'gpx':
      if (mapping.size > 0) {
        throw new ImportMisuse(`--map names columns, and '${source.name}' is GPX, which has none`)
      }
      return readGpxRows(source, POSITION_FIELDS, remarks)
  }
}

function factorsOf(organization: Organization, options: PositionOptions): Factors {
  const speedUnit = options.speedUnit ?? (options.format === 'gpx' ? 'mps' : 'kmh')
  return {
    speed: SPEED_UNITS[speedUnit],
    distance: LENGTH_UNITS[options.distanceUnit ?? organization.distanceUnit],
  }
}

/** By ident, the ids of the organization's objects. */
async function knownObjects(store: Store, organization: number): Promise<Map<string, number>> {
  const objects = await store.objects.list(organization)
  return new Map(objects.map(({ ident, id }) => [ident, id]))
}

/** Makes objects for the idents that have none, notes their ids, and returns how many they were. */
async function makeObjects(
  store: Store,
  organization: number,
  positions: readonly Position[],
  objects: Map<string, number>,
  now: number,
): Promise<number> {
  const unknown = () =>
    [...new Set(positions.map(({ ident }) => ident))].filter((ident) => !objects.has(ident))
  if (unknown().length === 0) return 0
  // Others may have made some meanwhile; putting those would set them back to the defaults.
  for (const [ident, id] of await knownObjects(store, organization)) objects.set(ident, id)
  const idents = unknown()
  const entries = idents.map((ident) => ({ ...OBJECT_DEFAULTS, name: ident, ident }))
  const outcomes = await store.objects.put(organization, entries, now)
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.outcome !== 'ident_taken') objects.set(idents[index]!, outcome.id)
  }
  return outcomes.filter(({ outcome }) => outcome === 'created').length
}

function count(summary: ImportSummary, row: Row, ident: string, outcome: AppendOutcome): void {
  switch (outcome) {
    case 'accepted':
      summary.accepted += 1
      break
    case 'duplicate':
      countDuplicate(summary, row, 'this position stands already')
      break
    case 'conflict':
      countConflict(summary, row, 'the object has another position of this time_device')
      break
    case 'unknown_object':
      countRejected(summary, row, unknownIdent(ident))
      break
  }
}

function unknownIdent(ident: string): Fault {
  return fault('unknown_ident', `no object has the ident '${ident}'; --create-objects makes one`)
}

function perhapsCut(source: string, field: string): string {
  return `the last line of '${source}' has no line end: if the file was cut off there, its ${field} is wrong`
}
