import { Readable } from 'node:stream'
import { ORGANIZATION_DEFAULTS, type Organization } from '../src/base/domain/organization.ts'
import type { Store } from '../src/engine/store/store.ts'
import { openPositions, type PositionOptions } from '../src/work/import/import-positions.ts'
import { chunksOf, sourceOf } from '../src/work/import/import-source.ts'
import { POSITION_FIELDS, type Position } from '../src/work/import/position-row.ts'
import { isFault, noRemarks, type Row, SourceUnreadable } from '../src/work/import/row.ts'
import { parseMapping } from '../src/work/import/tables/column-mapping.ts'
import { NOTHING_GIVEN } from '../src/work/import/tables/notation.ts'

/** The time at which files are read. */
export const READ_AT = Date.UTC(2026, 0, 1)

const NOTHING = { list: async () => [] }
const STORE = { objects: NOTHING, savedMappings: NOTHING } as unknown as Store
const ORGANIZATION = { ...ORGANIZATION_DEFAULTS, id: 1, name: 'Fleet', distanceUnit: 'mi' }

/** The name of a file, its bytes that come at once, and options of its import; `map` as `--map` has it. */
export type GivenFile = { name?: string; chunk?: number; map?: string } & Partial<PositionOptions>

/** The positions that an import would store, and the rest of the file. */
export type ReadFile = {
  positions: Position[]
  /** By reason, the lines that are rejected, and by kind those that are left out. */
  rejected: Record<string, number[]>
  omitted: Record<string, number[]>
  notes: string[]
  truncated: boolean
  /** Why the rest was not read. Null: the whole file was read. */
  stopped: string | null
}

/** Reads a file of positions as an import does, without a store. */
export async function readPositions(content: string | Buffer, given: GivenFile): Promise<ReadFile> {
  const { name = 'file', chunk = 1 << 16, map, ...others } = given
  const signal = new AbortController().signal
  const options: PositionOptions = {
    ...{ format: 'json', ident: null, timezone: null, speedUnit: null, distanceUnit: null },
    mapping: map === undefined ? new Map() : parseMapping(map, POSITION_FIELDS),
    ...{
      notation: NOTHING_GIVEN,
      createObjects: true,
      clock: { now: () => READ_AT, monotonic: () => 0 },
      signal,
      ...others,
    },
  }
  const bytes = Buffer.from(content as string)
  const source = sourceOf(name, bytes.length, Readable.from(chunksOf(bytes, chunk)), signal)
  const remarks = noRemarks()
  const opened = await openPositions(STORE, ORGANIZATION as Organization, source, options, remarks)
  const found: ReadFile = {
    positions: [],
    rejected: {},
    omitted: {},
    notes: [],
    truncated: false,
    stopped: null,
  }
  function add(row: Row): void {
    const read = opened.read(row)
    if (!isFault(read)) return void found.positions.push(read)
    const by = read.isOmission ? found.omitted : found.rejected
    by[read.reason] = [...(by[read.reason] ?? []), row.line]
  }
  try {
    for await (const rows of opened.rows) rows.forEach(add)
  } catch (error) {
    if (!(error instanceof SourceUnreadable)) throw error
    found.stopped = error.message
  }
  return { ...found, notes: [...remarks.notes], truncated: remarks.truncated }
}
