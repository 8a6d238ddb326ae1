import { runInTurns, takeTurn } from '../../../domain/turn.ts'
import { everyItem } from '../../in-slices.ts'
import { type ItemRoom, mayExceed, roomForObjects, roomForPlaces } from '../../item-room.ts'
import { writeLongTexts } from '../../json-texts.ts'
import type { ItemKind, ItemOf } from '../../kinds.ts'
import type { ItemEntry, ItemStore, PutOutcome, TextsOf } from '../../store.ts'
import { noted } from '../audit.ts'
import type { Connection, Database } from '../database.ts'
import { forgetObject, purge } from '../retention/purge.ts'
import { assertPossibleId, type Ids, idsOf } from './ids.ts'
import { type ItemRows, itemRows, itemsOf } from './item-rows.ts'
import { type ItemsDraft, itemsDraft } from './items-draft.ts'
import { freeObjects } from './object-limits.ts'
import type { OrganizationWrite, OrganizationWrites } from './organization-writes.ts'
import { placeRoom } from './place-room.ts'

/** Items that one statement reads: a million take longer than a statement may, and more at once hold up others. */
const SLICE = 2_000

export function itemStore<Settings extends object>(
  database: Database,
  writes: OrganizationWrites,
  kind: ItemKind<Settings>,
): ItemStore<ItemOf<Settings>, Settings> {
  const { table, matchedBy } = kind
  const rows = itemRows(kind)
  const ids = idsOf(table)

  async function find(
    connection: Connection,
    organization: number,
    id: number,
  ): Promise<ItemOf<Settings> | null> {
    const [row] = await connection.query(rows.find, [organization, id])
    return row === undefined ? null : runInTurns(rows.read(row))
  }

  async function draftOf(
    write: OrganizationWrite,
    entries: readonly ItemEntry<Partial<Settings>>[],
  ): Promise<ItemsDraft<Settings>> {
    const given = entries.flatMap(({ id }) => (Number.isSafeInteger(id) ? id! : []))
    const texts = entries.flatMap(
      (entry) => (entry[matchedBy as never] as string | undefined) ?? [],
    )
    const existing = await write.query(rows.matching, [write.organization, given, texts])
    return itemsDraft(kind, rows, await itemsOf(rows, existing))
  }

  async function replace(
    write: OrganizationWrite,
    draft: ItemsDraft<Settings>,
    existing: ItemOf<Settings>,
    settings: Settings,
    now: number,
    roomFor: RoomFor<Settings>,
  ): Promise<PutOutcome> {
    const takeRoom = await roomFor(existing)
    const put = draft.replace(existing, settings, now, takeRoom)
    if (put.outcome === 'updated') {
      const values = rows.values(settings)
      write.run(rows.update, [write.organization, existing.id, now, ...values])
      write.changed(table)
      write.log({ items: [{ topic: table, id: existing.id, isDeleted: false }] })
    }
    return put
  }

  /** The columns of a row are an item's fields, and its JSON columns are texts. */
  async function* pages(organization: number): AsyncGenerator<TextsOf<ItemOf<Settings>>[]> {
    for (let after = 0; ; ) {
      const page = await database.query<TextsOf<ItemOf<Settings>>>(rows.after, [
        organization,
        after,
        SLICE,
      ])
      if (page.length > 0) yield page
      if (page.length < SLICE) return
      after = page.at(-1)!.id as number
      await takeTurn()
    }
  }

  async function* itemPages(organization: number): AsyncGenerator<ItemOf<Settings>[]> {
    for await (const page of pages(organization)) yield await itemsOf(rows, page)
  }

  return {
    pages,
    list: (organization) => everyItem(itemPages(organization)),
    find: (organization, id) => find(database, organization, id),
    async named(organization, name) {
      const holders = await database.query<{ id: number }>(rows.named, [organization, name])
      return holders.map(({ id }) => id)
    },
    async put(organization, entries, now, note) {
      await writeLongTexts(kind, entries)
      const outcomes = await writes.write(organization, async (write) => {
        const draft = await draftOf(write, entries)
        const roomFor = roomIn(write, kind)
        const create = await creator(kind.table, rows, ids, write, draft, entries, roomFor)
        const outcomes: PutOutcome[] = []
        for (const entry of entries) {
          const existing = draft.match(entry)
          outcomes.push(
            existing === null
              ? await create(entry, now)
              : await replace(write, draft, existing, entry, now, roomFor),
          )
        }
        return noted(write, outcomes, note)
      })
      if (outcomes === null) throw new Error(`there is no organization ${organization}`)
      return outcomes
    },
    async update(organization, id, patch, now, note) {
      await writeLongTexts(kind, [patch])
      return writes.write(organization, async (write) => {
        const draft = await draftOf(write, [{ ...patch, id }])
        const existing = draft.find(id)
        if (existing === null) return null
        const given = Object.entries(patch).filter(([, value]) => value !== undefined)
        const wanted = { ...existing, ...Object.fromEntries(given) }
        const put = await replace(write, draft, existing, wanted, now, roomIn(write, kind))
        if (put.outcome === 'ident_taken') return put.outcome
        if ('max' in put) return put
        const after = (await find(write, organization, id))!
        return put.outcome === 'updated' ? noted(write, after, note, existing) : after
      })
    },
    async delete(organization, id, note) {
      const deleted = await writes.write(organization, async (write) => {
        if ((await write.run(rows.remove, [organization, id])) === 0) return false
        write.changed(table)
        write.log({ items: [{ topic: table, id, isDeleted: true }] })
        if (table === 'objects') forgetObject(write, id)
        else ids.release(write, id)
        return noted(write, true, note)
      })
      if (deleted && table === 'objects') await purge(database, organization)
      return deleted ?? false
    },
  }
}

/** The room of a transaction for an item that is added, or changed from `before`. It is read once, if it is needed. */
type RoomFor<Settings> = (before: Settings | null) => Promise<ItemRoom<Settings>>

function roomIn<Settings>(write: OrganizationWrite, kind: ItemKind<Settings>): RoomFor<Settings> {
  let room: ItemRoom<Settings> | undefined
  return async (before) => {
    if (!mayExceed(kind, before)) return () => undefined
    room ??=
      kind.table === 'objects'
        ? roomForObjects(await freeObjects(write))
        : roomForPlaces(kind, await placeRoom(write))
    return room
  }
}

/** Creates items from entries without a match. */
export async function creator<Settings extends object>(
  table: ItemKind<Settings>['table'],
  rows: ItemRows<Settings>,
  ids: Ids,
  write: OrganizationWrite,
  draft: ItemsDraft<Settings>,
  entries: readonly ItemEntry<Settings>[],
  roomFor: RoomFor<Settings>,
): Promise<(entry: ItemEntry<Settings>, now: number) => Promise<PutOutcome>> {
  const { organization } = write
  const given = entries.flatMap(({ id }) => (id === undefined || draft.find(id) ? [] : id))
  const free = await ids.free(write, given)
  const isFree = (id: number | undefined): id is number => id !== undefined && free.has(id)
  const lacking = entries.filter((entry) => draft.match(entry) === null && !isFree(entry.id))
  const fresh = await ids.next(write, lacking.length)

  return async (entry, now) => {
    if (entry.id !== undefined) assertPossibleId(entry.id)
    const takeRoom = await roomFor(null)
    const limit = takeRoom(null, entry)
    if (limit !== undefined) return limit
    const isGiven = isFree(entry.id)
    // One more id, if an earlier entry renamed the item that this one matched.
    const id = isGiven ? entry.id! : (fresh.shift() ?? (await ids.next(write, 1))[0]!)
    draft.add({ ...entry, id, organization, createdAt: now, updatedAt: now })
    ids.claim(write, organization, id, isGiven)
    write.run(rows.insert, [organization, id, now, ...rows.values(entry)])
    write.changed(table)
    write.log({ items: [{ topic: table, id, isDeleted: false }] })
    return { outcome: 'created', id }
  }
}
