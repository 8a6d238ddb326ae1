import { runInTurns } from '../../base/domain/common/slots.ts'
import { isPlace } from '../../base/domain/item-rules.ts'
import type { PlaceRoom } from '../../base/domain/limits.ts'
import type { ObjectSettings } from '../../base/domain/monitored-object.ts'
import type { ItemEntry, ItemStore, PutOutcome } from '../../engine/store/item-store.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { freeNames } from './attribute-tables.ts'
import { noted } from './audit-tables.ts'
import { identOwners } from './ident-owners.ts'
import {
  type ItemForm,
  type ItemKind,
  type ItemOf,
  itemForm,
  patched,
  writeLongTexts,
  writtenColumns,
} from './item-columns.ts'
import {
  type ItemRoom,
  type ItemsDraft,
  itemsDraft,
  mayExceed,
  roomForObjects,
  roomForPlaces,
  unlimited,
} from './items-draft.ts'
import { type Dialect, inExisting, type OrganizationSql, type Tables } from './sql.ts'

/** Above this, later ids could exceed the safe integers. */
const LARGEST_GIVEN_ID = 2 ** 52

/** The parts of the work on one kind of items that the stores do differently, in a transaction. */
export type ItemParts = {
  /** Those of some ids that no item has, of any organization, and that none had whose positions are still there. */
  free(sql: OrganizationSql, ids: readonly number[]): Work<Set<number>>
  /** New ids that were never used. */
  next(sql: OrganizationSql, count: number): Work<number[]>
  /** Assigns an id to the organization. `isGiven`: it does not come from `next`. */
  claim(sql: OrganizationSql, id: number, isGiven: boolean): void
  /** Frees the id of a deleted item: that of an object after its positions are deleted. */
  release(sql: OrganizationSql, id: number): void
  /** How many more objects the organization may have. */
  freeObjects(sql: OrganizationSql): Work<number>
  /** The places and vertices that the organization may have and has. */
  placeRoom(sql: OrganizationSql): Work<PlaceRoom>
  /** Deletes what is left of the organization's deleted objects. */
  purge(organization: number): Promise<void>
}

/** `claim`: of objects alone. */
export function itemStore<Settings extends object>(
  tables: Tables,
  parts: ItemParts,
  kind: ItemKind<Settings>,
  claim?: ClaimIdents,
): Omit<ItemStore<ItemOf<Settings>, Settings>, 'list' | 'pages'> {
  const { table } = kind
  const form = itemForm(kind)
  const texts = statements(tables.dialect, kind, form)
  const { draftOf, replace, creator } = itemWork(tables.dialect, parts, kind)
  const moveIdents = claim && identMover<Settings>(tables.dialect, claim)

  return {
    ...itemReads(tables, form, texts),
    async put(organization, entries, now, note) {
      await writeLongTexts(kind, entries)
      return inExisting(tables, organization, function* (sql) {
        const draft = yield* draftOf(sql, entries)
        const roomFor = roomIn(sql, parts, kind)
        const create = yield* creator(sql, draft, entries, roomFor)
        const outcomes: PutOutcome[] = []
        const moved: Moved<Settings>[] = []
        const retained: RetainedBefore = new Map()
        for (const entry of entries) {
          const existing = draft.match(entry)
          const put =
            existing === null
              ? yield* create(entry, now)
              : yield* replace(sql, draft, existing, entry, now, roomFor)
          outcomes.push(put)
          if (put.outcome !== 'created' && put.outcome !== 'updated') continue
          moved.push([existing, entry])
          noteRetained(retained, put.id, existing, entry)
        }
        if (moveIdents) yield* moveIdents(sql, moved)
        noteItems(sql, table, changedIds(outcomes), false, retained)
        return yield* noted(sql, outcomes, note)
      })
    },
    async update(organization, id, patch, now, note) {
      await writeLongTexts(kind, [patch])
      return tables.change(organization, function* (sql) {
        const draft = yield* draftOf(sql, [{ ...patch, id }])
        const existing = draft.find(id)
        if (existing === null) return null
        const wanted = patched<Settings>(existing, patch)
        const put = yield* replace(sql, draft, existing, wanted, now, roomIn(sql, parts, kind))
        if (put.outcome === 'ident_taken') return put.outcome
        if ('max' in put) return put
        if (put.outcome === 'unchanged') return existing
        const after = draft.find(id)!
        const retained: RetainedBefore = new Map()
        noteRetained(retained, id, existing, after)
        noteItems(sql, table, [id], false, retained)
        if (moveIdents) yield* moveIdents(sql, [[existing, after]])
        return yield* noted(sql, after, note, existing)
      })
    },
    async delete(organization, id, note) {
      const deleted = await tables.change(organization, function* (sql) {
        const removed = moveIdents && (yield* sql.one<object>(texts.ident, [organization, id]))
        if (table === 'objects') yield* freeNames(sql, tables.dialect, id)
        if ((yield* sql.count(texts.remove, [organization, id])) === 0) return false
        noteItems(sql, table, [id], true)
        if (removed) yield* moveIdents!(sql, [[removed as Settings, null]])
        parts.release(sql, id)
        return yield* noted(sql, true, note)
      })
      if (deleted && table === 'objects') await parts.purge(organization)
      return deleted ?? false
    },
  }
}

function itemReads<Settings extends object>(
  { read }: Tables,
  form: ItemForm<Settings>,
  { find, named }: Pick<ReturnType<typeof statements>, 'find' | 'named'>,
): Pick<ItemStore<ItemOf<Settings>, Settings>, 'find' | 'named'> {
  return {
    async find(organization, id) {
      const row = await read(({ one }) => one(find, [organization, id]))
      return row === undefined ? null : runInTurns(form.item(row))
    },
    async named(organization, name) {
      const values = [organization, name]
      const holders = await read(({ all }) => all<{ id: number }>(named, values))
      return holders.map(({ id }) => id)
    },
  }
}

/** The work of a transaction on the items that entries match or make. */
export function itemWork<Settings extends object>(
  dialect: Dialect,
  parts: ItemParts,
  kind: ItemKind<Settings>,
) {
  const form = itemForm(kind)
  const { matching, update } = statements(dialect, kind, form)
  const insert = insertionOf(kind)

  function* draftOf(
    sql: OrganizationSql,
    entries: readonly ItemEntry<Partial<Settings>>[],
  ): Work<ItemsDraft<Settings>> {
    const given = entries.flatMap(({ id }) => (Number.isSafeInteger(id) ? id! : []))
    const texts = entries.flatMap(
      (entry) => (entry[kind.matchedBy as never] as string | undefined) ?? [],
    )
    const values = [sql.organization, wanted(given), wanted(texts)]
    const items: ItemOf<Settings>[] = []
    for (const row of yield* sql.all(matching, values)) {
      items.push(yield* sql.compute(form.item(row)))
    }
    return itemsDraft(kind, form, items)
  }

  function* replace(
    sql: OrganizationSql,
    draft: ItemsDraft<Settings>,
    existing: ItemOf<Settings>,
    settings: Settings,
    now: number,
    roomFor: RoomFor<Settings>,
  ): Work<PutOutcome> {
    const put = draft.replace(existing, settings, now, yield* roomFor(existing))
    if (put.outcome === 'updated') {
      sql.run(update, [sql.organization, existing.id, now, ...form.values(settings)])
    }
    return put
  }

  /** Returns what creates an item from an entry without a match. */
  function* creator(
    sql: OrganizationSql,
    draft: ItemsDraft<Settings>,
    entries: readonly ItemEntry<Settings>[],
    roomFor: RoomFor<Settings>,
  ): Work<(entry: ItemEntry<Settings>, now: number) => Work<PutOutcome>> {
    const { organization } = sql
    const given = entries.flatMap(({ id }) => (id === undefined || draft.find(id) ? [] : id))
    const free = yield* parts.free(sql, given.filter(isPossible))
    const isFree = (id: number | undefined): id is number => id !== undefined && free.has(id)
    const lacking = entries.filter((entry) => draft.match(entry) === null && !isFree(entry.id))
    const fresh = yield* parts.next(sql, lacking.length)

    return function* (entry, now) {
      if (entry.id !== undefined) assertPossibleId(entry.id)
      const limit = (yield* roomFor(null))(null, entry)
      if (limit !== undefined) return limit
      const isGiven = isFree(entry.id)
      // One more id, if an earlier entry renamed the item that this one matched.
      const id = isGiven ? entry.id! : (fresh.shift() ?? (yield* parts.next(sql, 1))[0]!)
      draft.add({ ...entry, id, organization, createdAt: now, updatedAt: now })
      parts.claim(sql, id, isGiven)
      sql.run(insert, [organization, id, now, ...form.values(entry)])
      return { outcome: 'created', id }
    }
  }

  return { draftOf, replace, creator }
}

type RoomFor<Settings> = (before: Settings | null) => Work<ItemRoom<Settings>>

/** The room for an item that is added, or changed from `before`. It is read once in a transaction, if it is needed. */
function roomIn<Settings>(
  sql: OrganizationSql,
  parts: ItemParts,
  kind: ItemKind<Settings>,
): RoomFor<Settings> {
  const { table } = kind
  let room: ItemRoom<Settings> | undefined
  return function* (before) {
    if (!mayExceed(kind, before)) return unlimited
    if (table === 'objects') room ??= roomForObjects(yield* parts.freeObjects(sql))
    else if (isPlace(table)) room ??= roomForPlaces(kind, yield* parts.placeRoom(sql))
    return room ?? unlimited
  }
}

/** The settings of an item before and after a write. Null if there is no item. */
type Moved<Settings> = readonly [before: Settings | null, after: Settings | null]

/** Makes the organization the owner of those new idents of its objects that it may own. */
export type ClaimIdents = (sql: OrganizationSql, idents: readonly string[]) => Work<void>

/** The organization owns the new idents of objects that it may claim, and their former idents no longer. */
export function identMover<Settings>(dialect: Dialect, claim: ClaimIdents) {
  const owners = identOwners(dialect)
  const identOf = (settings: Settings) => (settings as { ident?: string }).ident!
  return function* (sql: OrganizationSql, moved: readonly Moved<Settings>[]): Work<void> {
    const changed = moved.map((each) => each.map((settings) => settings && identOf(settings)))
    const others = changed.filter(([before, after]) => before !== after)
    yield* owners.release(
      sql,
      others.flatMap(([before]) => before ?? []),
    )
    yield* claim(
      sql,
      others.flatMap(([, after]) => after ?? []),
    )
  }
}

function wanted(values: readonly (number | string)[]): string {
  return JSON.stringify(values.map((wanted) => ({ wanted })))
}

function statements<Settings>(
  { given }: Dialect,
  kind: ItemKind<Settings>,
  { columns }: Pick<ItemForm<Settings>, 'columns'>,
) {
  const { table, matchedBy } = kind
  const changed = writtenColumns(kind).map((column, index) => `${column} = $${index + 4}`)
  return {
    find: `SELECT ${columns} FROM ${table} WHERE organization = $1 AND id = $2`,
    ident: `SELECT ident FROM ${table} WHERE organization = $1 AND id = $2`,
    named: `SELECT id FROM ${table} WHERE organization = $1 AND ${matchedBy} = $2 ORDER BY id`,
    // Items with the ids $2 or matched by one of the texts $3. With OR, SQLite would read all of an organization.
    matching: `
      SELECT ${columns}
      FROM (
        SELECT wanted AS found FROM ${given('$2', { wanted: 'bigint' })}
        UNION
        SELECT id FROM ${given('$3', { wanted: 'text' })} CROSS JOIN ${table}
        WHERE organization = $1 AND ${matchedBy} = wanted
      ) AS matched CROSS JOIN ${table}
      WHERE organization = $1 AND id = found ORDER BY id`,
    update: `
      UPDATE ${table} SET updated_at = $3, ${changed.join(', ')}
      WHERE organization = $1 AND id = $2`,
    remove: `DELETE FROM ${table} WHERE organization = $1 AND id = $2`,
  }
}

/** Item $2 of organization $1, at the moment $3, with the settings from $4 on. */
export function insertionOf<Settings>(kind: ItemKind<Settings>): string {
  const columns = writtenColumns(kind)
  return `
    INSERT INTO ${kind.table} (organization, id, created_at, updated_at, ${columns.join(', ')})
    VALUES ($1, $2, $3, $3, ${columns.map((_, index) => `$${index + 4}`).join(', ')})`
}

/** The retentions of objects that get another one, as they are before. */
type RetainedBefore = Map<number, number | null>

function noteRetained(
  retained: RetainedBefore,
  id: number,
  existing: object | null,
  settings: object,
): void {
  const before = retentionOf(existing)
  if (before !== retentionOf(settings) && !retained.has(id)) retained.set(id, before)
}

/** Null: the item has no retention of its own. Only objects can have one. */
function retentionOf(item: Partial<ObjectSettings> | null): number | null {
  return item?.retentionDays ?? null
}

/** Notes that items were written, or deleted. */
export function noteItems(
  sql: OrganizationSql,
  topic: ItemKind<object>['table'],
  ids: readonly number[],
  isDeleted = false,
  retained: ReadonlyMap<number, number | null> = new Map(),
): void {
  if (ids.length === 0) return
  sql.changed(topic)
  const items = ids.map((id) => {
    const retainedBefore = retained.get(id)
    return { topic, id, isDeleted, ...(retainedBefore !== undefined && { retainedBefore }) }
  })
  sql.log({ items })
}

/** The distinct ids of the created and updated items, ascending. */
function changedIds(outcomes: readonly PutOutcome[]): number[] {
  const ids = outcomes.flatMap((put) =>
    put.outcome === 'created' || put.outcome === 'updated' ? put.id : [],
  )
  return [...new Set(ids)].sort((a, b) => a - b)
}

/** Throws a `RangeError` if it cannot be an id. */
function assertPossibleId(id: number): void {
  if (isPossible(id)) return
  throw new RangeError(`an id must be a whole number from 1 to ${LARGEST_GIVEN_ID}, not ${id}`)
}

function isPossible(id: number): boolean {
  return Number.isSafeInteger(id) && id >= 1 && id <= LARGEST_GIVEN_ID
}
