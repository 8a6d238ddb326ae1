import { takeTurn } from '../domain/common/slots.ts'
import type { LoggedChange, ReaderView } from '../store/change-log.ts'
import { PACK_AFTER_MS } from '../store/position-store.ts'
import { canJoin, JoinedChangeDraft } from './joined-change.ts'
import type { JoinedChange, JoinedChangeAt, LogOffset, PageOptions } from './page.ts'

/** Reading as many takes some 60 ms of processor time, while others wait for the connection of the view. */
const MAX_NAMES = 200_000
/** So the names that a page reads cost no more than many of its entries. */
const NAMES_OF_ENTRY = 200
/** Names that are read before others have their turn: some milliseconds. */
const NAMES_AT_ONCE = 4_000
const MAX_CHANGES = 10_000
/** More names of each object would make a page hardly cheaper: they are read from one block. */
const NAMES_OF_OBJECT = 32
const MAX_CHANGES_AT_ONCE = 50
/** Fewer changes before one that cannot be joined are not worth it to read them twice. */
const MIN_CHANGES = 50

/** Names that a process keeps, and for how long nobody may use them: some 10 MB. */
const MAX_KEPT = 1_000_000
const UNUSED_MS = 60_000

type Wish = Pick<PageOptions, 'limit' | 'now'>

/** Keeps joined changes between pages, each of which would otherwise read all names of its own again. */
export class KeptJoinedChanges {
  private readonly kept = new Map<string, JoinedChange>()
  private readonly most: number
  private size = 0
  private expiry: NodeJS.Timeout | undefined

  constructor(most = MAX_KEPT) {
    this.most = most
  }

  /** `sight`: what the reader's key opens. Readers with the same see the same names. */
  for(sight: string | undefined): JoinedChangeAt {
    return async (view, offset, wish, first) => {
      const { organization, epoch } = view
      const keyOf = ({ after, last }: { after: number; last: number }) =>
        [organization.id, epoch, sight, after, last].join(' ')
      if (offset.joined === undefined) {
        const begun =
          first && canBegin(offset, first, wish) ? await begin(view, first, wish) : undefined
        if (begun !== undefined) this.keep(keyOf(begun), begun)
        return begun
      }
      const key = keyOf({ after: offset.after, last: offset.joined.last })
      const joined = this.kept.get(key) ?? (await readAgain(view, offset.after, offset.joined.last))
      this.keep(key, joined)
      return joined
    }
  }

  /** Keeps a joined change as the one that was used last. The others go first. */
  private keep(key: string, joined: JoinedChange): void {
    this.drop(key)
    this.kept.set(key, joined)
    this.size += joined.size
    for (const other of this.kept.keys()) if (this.size > this.most) this.drop(other)
    this.expiry?.refresh()
    this.expiry ??= setTimeout(() => {
      for (const other of this.kept.keys()) this.drop(other)
      this.expiry = undefined
    }, UNUSED_MS).unref()
  }

  private drop(key: string): void {
    this.size -= this.kept.get(key)?.size ?? 0
    this.kept.delete(key)
  }
}

/** Whether the positions that came with a change are packed. */
function isOld({ at }: LoggedChange, { now }: Wish): boolean {
  return at < now - PACK_AFTER_MS
}

function canBegin({ skip, time }: LogOffset, first: LoggedChange, wish: Wish): boolean {
  return skip === 0 && time < 0 && isOld(first, wish) && canJoin(first)
}

/** The joined change that begins with one. Undefined if it would be too short. */
async function begin(
  view: ReaderView,
  first: LoggedChange,
  wish: Wish,
): Promise<JoinedChange | undefined> {
  const joined = new JoinedChangeDraft(first.seq - 1)
  joined.add(first)
  const most = Math.min(MAX_NAMES, NAMES_OF_ENTRY * wish.limit)
  const wanted = () => Math.min(most, Math.max(wish.limit, NAMES_OF_OBJECT * joined.objects))
  const end = Math.min(view.asOf, first.seq + MAX_CHANGES)
  await grow(view, joined, end, wanted, (change) => isOld(change, wish) && canJoin(change))
  const isWorthIt = joined.last - first.seq >= MIN_CHANGES || joined.size >= wish.limit
  return joined.last > first.seq && isWorthIt ? joined.whole() : undefined
}

/** The joined change of an offset again. It is the same, because logged changes stay as they are. */
async function readAgain(view: ReaderView, after: number, last: number): Promise<JoinedChange> {
  const joined = new JoinedChangeDraft(after)
  await grow(
    view,
    joined,
    last,
    () => Number.POSITIVE_INFINITY,
    () => true,
  )
  return joined.whole()
}

/** Adds the changes up to number `end`, until there are as many names as wanted, or up to one that cannot be added. */
async function grow(
  view: ReaderView,
  joined: JoinedChangeDraft,
  end: number,
  wanted: () => number,
  canAdd: (change: LoggedChange) => boolean,
): Promise<void> {
  while (joined.last < end && joined.size < wanted()) {
    const names = Math.min(NAMES_AT_ONCE, wanted() - joined.size)
    const missing = Math.ceil(names / joined.sizeOfChange())
    const atOnce = Math.min(missing, MAX_CHANGES_AT_ONCE, end - joined.last)
    const changes = await view.changes(joined.last, atOnce)
    if (changes.length === 0) return
    for (const change of changes) {
      if (change.seq > end || !canAdd(change)) return
      joined.add(change)
    }
    await takeTurn()
  }
}
