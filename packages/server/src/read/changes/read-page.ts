import type {
  AttributeEntry,
  StoredAttribute,
} from '../../base/domain/attributes/attribute-catalogue.ts'
import { CHANGE_TYPES, type ChangeType } from '../../base/domain/item-rules.ts'
import { logPage } from '../../engine/changes/log-page.ts'
import { countOf, type Page, startOf } from '../../engine/changes/page.ts'
import { snapshotPage } from '../../engine/changes/snapshot-page.ts'
import {
  type LevelEntries,
  levelEntries,
  levelsDigest,
} from '../../engine/journeys/levels/level-digests.ts'
import type { ReaderView } from '../../engine/store/change-log.ts'
import type { Api } from '../api.ts'
import { shortDigest } from '../parameters/page-cursor.ts'
import { cursorExpired, type Refusal, unauthorized } from '../refusal.ts'
import type { TakenRoom } from '../rows/page-room.ts'
import { type ChangesQuery, openedTypes, type Reader, type Reading } from './changes-query.ts'
import { levelView } from './level-view.ts'

/**
 * A page, the reader that all later pages have, and the entries of its attributes. `room`: free it when a client has the
 * page.
 */
export type Read = {
  page: Page
  reader: Reader
  entries: readonly AttributeEntry[] | null
  /** The levels whose changes the page may have. */
  levels: LevelEntries
  room: TakenRoom
}

/** The parts that make pages. */
export type PageParts = Pick<Api, 'views' | 'pageRoom' | 'joinedChanges' | 'clock'>

export type PageQuery = Pick<ChangesQuery, 'from' | 'limit' | 'skipsExhausted'>

/** Reads the next page. `gone`: aborts while the page waits for its turn. */
export async function readPage(
  api: PageParts,
  organization: number,
  reading: Reading,
  query: PageQuery,
  gone?: AbortSignal,
): Promise<Read | Refusal> {
  let read: Read | Refusal | undefined
  const free = () => {
    if (read !== undefined && 'room' in read) read.room.free()
  }
  // Read before the view: a later change of the catalogue ends the reader at its next page.
  const catalogue = await catalogueOf(reading)
  const work = async (view: ReaderView) => {
    free()
    read = await readIn(api, view, reading, catalogue, query)
    return read
  }
  try {
    // Null: the organization was deleted a moment ago.
    return (await api.views.view(organization, work, gone)) ?? unauthorized.invalid
  } catch (error) {
    // The view may fail after its work.
    free()
    throw error
  }
}

async function readIn(
  api: PageParts,
  view: ReaderView,
  reading: Reading,
  { entries, levels: visible }: Catalogue,
  { from, limit }: PageQuery,
): Promise<Read | Refusal> {
  const { epoch, organization } = view
  const { wanted, at, opened } = reading
  const unit = organization.distanceUnit
  if (at !== null && (at.reader.epoch !== epoch || at.reader.unit !== unit)) return cursorExpired
  if (at !== null && at.reader.sight !== opened?.sight) return cursorExpired
  const catalogue = entries === null ? undefined : digestOfEntries(entries)
  if (at !== null && at.reader.catalogue !== catalogue) return cursorExpired
  const offset = at?.offset ?? startOf(from, view.asOf)
  const known = offset.part === 'log' ? offset.after : offset.base
  if (known > view.asOf || known < view.oldest - 1) return cursorExpired
  const types = wanted.types ?? (at === null ? await typesAtStart(view) : null)
  const hasLevels = openedTypes({ types }, opened).has('levels')
  const levels = hasLevels ? visible : []
  const levelsSeen = levels.length === 0 ? undefined : levelsDigest(levels)
  if (at !== null && at.reader.levels !== levelsSeen) return cursorExpired
  const reader: Reader = at?.reader ?? {
    ...wanted,
    types,
    epoch,
    unit,
    catalogue,
    levels: levelsSeen,
    sight: opened?.sight,
  }
  const chosen = openedTypes(reader, opened)
  const selection = { types: levels.length > 0 ? chosen : withoutLevels(chosen), ids: wanted.ids }
  const shown = levels.length > 0 ? levelView(view, levels) : view
  const room = api.pageRoom.take(organization.id, limit)
  try {
    const now = api.clock.now()
    const joinedAt = api.joinedChanges.for(
      levelsSeen ? `${reader.sight} ${levelsSeen}` : reader.sight,
    )
    const options = { selection, limit: room.entries, now, joinedAt }
    const page =
      offset.part === 'log'
        ? await logPage(shown, offset, options)
        : await snapshotPage(shown, offset, options)
    room.keep(countOf(page))
    return { page, reader, entries, levels, room }
  } catch (error) {
    room.free()
    throw error
  }
}

/**
 * The types of a reader that names none. They include records only if records are already derived when the reader
 * starts, because a reader that names no types must not start the derivation. Its cursors keep the types.
 */
async function typesAtStart(view: ReaderView): Promise<Reader['types']> {
  const areDerived = (await view.progress()) !== null || (await view.tasks(1)).length > 0
  return areDerived ? CHANGE_TYPES : null
}

function withoutLevels(types: ReadonlySet<ChangeType>): ReadonlySet<ChangeType> {
  return types.difference(new Set<ChangeType>(['levels']))
}

/** The part of the catalogue that a reader sees. `entries`: those that its pages have. Null: it wants no attributes. */
type Catalogue = { entries: readonly AttributeEntry[] | null; levels: LevelEntries }

async function catalogueOf({ wanted, opened, catalogue }: Reading): Promise<Catalogue> {
  const { types, include, attributes } = wanted
  const hasEntries = attributes !== undefined || include.includes('attributes')
  const mayHaveLevels = openedTypes({ types: types ?? CHANGE_TYPES }, opened).has('levels')
  if (!hasEntries && !mayHaveLevels) return { entries: null, levels: [] }
  const visible = await catalogue()
  const entries =
    attributes === undefined ? visible : visible.filter(({ name }) => attributes.includes(name))
  return { entries: hasEntries ? entries : null, levels: levelEntries(visible) }
}

const digests = new WeakMap<readonly AttributeEntry[], string>()

/** The parts of an entry that do not change the values of positions. */
const APART_FROM_VALUES: ReadonlySet<string> = new Set<keyof StoredAttribute>([
  ...(['id', 'unit', 'label', 'isPublic', 'isCounter', 'maximumRate'] as const),
  ...(['isLevel', 'threshold', 'smoothing'] as const),
])

/**
 * A short text of the entries. A reader that began with other entries has to start again, because the entries decide
 * what each position shows.
 */
function digestOfEntries(entries: readonly AttributeEntry[]): string {
  const known = digests.get(entries)
  if (known !== undefined) return known
  const shown = entries.map((entry) =>
    Object.entries(entry).filter(([key]) => !APART_FROM_VALUES.has(key)),
  )
  const text = shortDigest(JSON.stringify(shown))
  digests.set(entries, text)
  return text
}
