import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, beforeEach } from 'node:test'
import type { ItemTopic } from '../src/base/domain/item-rules.ts'
import { ORGANIZATION_DEFAULTS, type Organization } from '../src/base/domain/organization.ts'
import type { Store } from '../src/engine/store/store.ts'
import { type CatalogueOptions, importCatalogue } from '../src/work/import/import-catalogue.ts'
import { importPositions, type PositionOptions } from '../src/work/import/import-positions.ts'
import {
  type Preview,
  previewCatalogue,
  previewPositions,
} from '../src/work/import/import-preview.ts'
import { chunksOf, type Source, sourceOf } from '../src/work/import/import-source.ts'
import { POSITION_FIELDS } from '../src/work/import/position-row.ts'
import { ImportMisuse } from '../src/work/import/row.ts'
import type { ImportSummary } from '../src/work/import/summary.ts'
import { parseMapping } from '../src/work/import/tables/column-mapping.ts'
import { NOTHING_GIVEN } from '../src/work/import/tables/notation.ts'
import { temporaryStore } from './stores/temporary-sqlite-store.ts'

/** The time of all imports. */
export const NOW = Date.UTC(2026, 0, 1)
const CLOCK = { now: () => NOW, monotonic: () => 0 }
const NEVER = new AbortController().signal

type Content = string | Buffer | AsyncIterable<Uint8Array>
/** The name of a file, and the bytes that come at once. */
type File = { name?: string; chunk?: number }
/** `map`: as `--map` has it. `progress` is called after each batch. */
type GivenPositions = File & {
  map?: string
  progress?: () => void
  store?: Store
} & Partial<PositionOptions>
type GivenCatalogue = File & Partial<CatalogueOptions>

/** A store for the tests of a file, and imports into an organization that is new for each of them. */
export function importing() {
  const trial = {
    store: undefined as unknown as Store,
    organization: undefined as unknown as Organization,

    /** Makes the organization to which later imports go. */
    async useNew(settings: Partial<Organization> = {}): Promise<void> {
      const all = { ...ORGANIZATION_DEFAULTS, name: 'Fleet', ...settings }
      trial.organization = await trial.store.organizations.create(all, NOW)
    },

    async positions(content: Content, given: GivenPositions = {}): Promise<ImportSummary> {
      const { source, options, progress, store } = positionImport(trial.store, content, given)
      const summary = await importPositions(store, trial.organization, source, options, progress)
      assertAccounted(summary)
      return summary
    },

    previewPositions(content: Content, given: GivenPositions = {}): Promise<Preview> {
      const { source, options, store } = positionImport(trial.store, content, given)
      return previewPositions(store, trial.organization, source, options)
    },

    previewCatalogue(
      kind: ItemTopic,
      content: Content,
      given: GivenCatalogue = {},
    ): Promise<Preview> {
      const { source, options } = catalogueImport(content, { format: 'csv', ...given })
      return previewCatalogue(trial.store, trial.organization, kind, source, options)
    },

    async catalogue(
      kind: ItemTopic,
      content: Content,
      given: GivenCatalogue = {},
    ): Promise<ImportSummary> {
      const { source, options } = catalogueImport(content, given)
      const { store, organization } = trial
      const summary = await importCatalogue(store, organization, kind, source, options, () => {})
      assertAccounted(summary)
      assert.equal(summary.accepted, summary.created + summary.updated)
      return summary
    },
  }
  let cleanUp: () => Promise<void>
  before(async () => {
    const opened = await temporaryStore()
    trial.store = opened.store
    cleanUp = opened.cleanUp
  })
  after(() => cleanUp())
  beforeEach(() => trial.useNew())
  return trial
}

function positionImport(usual: Store, content: Content, given: GivenPositions) {
  const { name = 'p.csv', chunk, map, progress = () => {}, store = usual, ...others } = given
  const options: PositionOptions = {
    ...{ format: 'csv', ident: null, timezone: null, speedUnit: null, distanceUnit: null },
    mapping: map === undefined ? new Map() : parseMapping(map, POSITION_FIELDS),
    ...{ createObjects: true, notation: NOTHING_GIVEN, clock: CLOCK, signal: NEVER, ...others },
  }
  const source = sourceOfContent(content, name, chunk, options.signal)
  return { source, options, progress, store }
}

function catalogueImport(content: Content, given: GivenCatalogue) {
  const { format = 'geojson', name = `c.${format}`, chunk, ...others } = given
  const options: CatalogueOptions = {
    ...{ format, mapping: new Map(), distanceUnit: null, keepsIds: true, clock: CLOCK },
    ...{ notation: NOTHING_GIVEN, signal: NEVER, ...others },
  }
  return { source: sourceOfContent(content, name, chunk, options.signal), options }
}

function sourceOfContent(content: Content, name: string, chunk = 1 << 16, signal = NEVER): Source {
  const isWhole = typeof content === 'string' || Buffer.isBuffer(content)
  const bytes = isWhole ? chunksOf(Buffer.from(content as string), chunk) : content
  const size = isWhole ? Buffer.byteLength(content) : null
  return sourceOf(name, size, Readable.from(bytes), signal)
}

function assertAccounted(summary: ImportSummary): void {
  const { read, accepted, duplicate, conflict, rejected } = summary
  assert.equal(read, accepted + duplicate + conflict + rejected)
  const reasons = Object.values(summary.reasons).reduce((sum, { count }) => sum + count, 0)
  assert.equal(rejected, reasons)
  assert.deepEqual([duplicate, conflict], [summary.duplicates.count, summary.conflicts.count])
  const isIn = rejected + conflict === 0 && summary.stopped === null && !summary.truncated
  if (!isIn) assert.equal(summary.complete, false)
}

/** The counts of rows other than 0: some of the summary, and the rejected ones by reason. */
export function countsOf(summary: ImportSummary, names: readonly CountName[]) {
  const counts = names.map((name) => [name, summary[name]] as const)
  const reasons = Object.entries(summary.reasons).map(([reason, { count }]) => [reason, count])
  return Object.fromEntries([...counts, ...reasons].filter(([, count]) => count !== 0))
}
type CountName = 'accepted' | 'created' | 'updated' | 'duplicate' | 'conflict'

/** Checks that an import is refused as misuse, which writes nothing. */
export function assertMisuse(imported: Promise<unknown>, message: RegExp): Promise<void> {
  return assert.rejects(imported, (error) => {
    assert.ok(error instanceof ImportMisuse, String(error))
    assert.match(error.message, message)
    return true
  })
}
