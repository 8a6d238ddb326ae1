import { passedOn } from '../../base/domain/common/passed-on.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type { ObjectState } from '../../base/domain/position/object-state.ts'
import type { LoggedChange, PositionName, ReaderView, ReaderViews } from '../store/change-log.ts'
import type { Change } from '../store/store.ts'
import { KeptRows } from './kept-rows.ts'

/** Objects and states that a process keeps. Both, with the encoder of the rows, take some 4 KB. */
const MAX_KEPT = 100_000
/** The server drops the values of an organization that had no view for this long. */
const UNUSED_MS = 60_000
/** The changes that are followed. After more of them everything is read again. */
const MAX_CHANGES = 1_000

/** Values by the id of their object. Undefined: it has none. */
type Values<Value> = Map<number, Value | undefined>

/** The objects and states that were read of an organization. They are as of its change `asOf`. */
type Kept = {
  epoch: string
  asOf: number
  readonly objects: Values<MonitoredObject>
  readonly states: Values<ObjectState>
  /** States that later changes of this process have stored, with the numbers of those changes. Only of objects in `states`. */
  readonly stored: Map<number, { seq: number; state: ObjectState }>
  readonly rows: KeptRows
  readonly expiry: NodeJS.Timeout
}

/**
 * Views that read an object and a state from the store once, until a change names it, and that do not read the positions
 * that this process has just stored. The log names everything that answers show, so all else is as it was.
 */
export class KeptViews implements ReaderViews {
  private readonly views: ReaderViews
  private readonly most: number
  private readonly organizations = new Map<number, Kept>()
  private count = 0

  constructor(views: ReaderViews, most = MAX_KEPT) {
    this.views = views
    this.most = most
  }

  readonly view: ReaderViews['view'] = (organization, work, signal) =>
    this.views.view(organization, (view) => work(this.keptView(view)), signal)

  /** Gets each change of the store. No view reads the states that it brings. */
  readonly changed = ({ organization, stored }: Change): void => {
    const kept = this.organizations.get(organization)
    if (kept === undefined || stored === undefined) return
    const { logged: seq, states } = stored
    for (const [id, state] of states) if (kept.states.has(id)) kept.stored.set(id, { seq, state })
    // If a view is already past this change, a later one may have replaced its positions.
    if (seq > kept.asOf) kept.rows.put(seq, stored.positions())
  }

  private keptOf(id: number, { epoch, asOf }: ReaderView): Kept {
    const known = this.organizations.get(id)
    known?.expiry.refresh()
    if (known !== undefined) return known
    const expiry = setTimeout(() => this.drop(id), UNUSED_MS).unref()
    const values = {
      objects: new Map(),
      states: new Map(),
      stored: new Map(),
      rows: new KeptRows(),
    }
    const kept = { epoch, asOf, ...values, expiry }
    this.organizations.set(id, kept)
    return kept
  }

  private drop(id: number): void {
    const kept = this.organizations.get(id)!
    clearTimeout(kept.expiry)
    this.organizations.delete(id)
    this.clear(kept)
  }

  /** A view under way may still hold dropped values. Empty, they cannot be subtracted from the count again. */
  private clear({ objects, states, stored, rows }: Kept): void {
    this.count -= objects.size + states.size
    stored.clear()
    rows.clear()
    objects.clear()
    states.clear()
  }

  private forget<Value>(values: Values<Value>, id: number): void {
    if (values.delete(id)) this.count -= 1
  }

  /** Follows changes that were read after number `after`. */
  private follow(kept: Kept, after: number, changes: readonly LoggedChange[]): void {
    // Another view has followed them meanwhile.
    if (kept.asOf !== after) return
    for (const { entries, seq } of changes) {
      for (const { topic, id } of entries.items) {
        if (topic !== 'objects') continue
        this.forget(kept.objects, id)
        this.forget(kept.states, id)
      }
      for (const { object } of entries.objects) {
        this.forget(kept.states, object)
        const last = kept.stored.get(object)
        if (last?.seq !== seq) continue
        kept.stored.delete(object)
        kept.states.set(object, last.state)
        this.count += 1
      }
      kept.rows.follow(seq, entries)
      kept.asOf = seq
    }
  }

  /** Brings the values to the moment of a view. Returns false if they are of a later one. */
  private async catchUp(kept: Kept, view: ReaderView): Promise<boolean> {
    while (kept.asOf < view.asOf && isWithinLog(kept, view)) {
      const after = kept.asOf
      const changes = await view.changes(after, view.asOf - after)
      if (changes.length === 0) break
      this.follow(kept, after, changes)
    }
    if (kept.asOf < view.asOf || kept.epoch !== view.epoch) {
      this.clear(kept)
      kept.asOf = view.asOf
      kept.epoch = view.epoch
    }
    return kept.asOf === view.asOf
  }

  /** The values of those of the ids that have one. */
  private async find<Value>(
    kept: Kept,
    view: ReaderView,
    values: Values<Value>,
    ids: readonly number[],
    read: (ids: readonly number[]) => Promise<Map<number, Value>>,
  ): Promise<Map<number, Value>> {
    if (!(await this.catchUp(kept, view))) return read(ids)
    const found = new Map<number, Value>()
    const missing: number[] = []
    for (const id of ids) {
      const value = values.get(id)
      if (value !== undefined) found.set(id, value)
      else if (!values.has(id)) missing.push(id)
    }
    if (missing.length === 0) return found
    const added = await read(missing)
    for (const [id, value] of added) found.set(id, value)
    // Another view may have brought the values to a later moment.
    const isCurrent = kept.asOf === view.asOf && kept.epoch === view.epoch
    if (!isCurrent || this.organizations.get(view.organization.id) !== kept) return found
    for (const id of missing) {
      // A view of the same moment may have read it too.
      if (!values.has(id)) this.count += 1
      values.set(id, added.get(id))
    }
    if (this.count > this.most) for (const id of [...this.organizations.keys()]) this.drop(id)
    return found
  }

  private async positions(
    kept: Kept,
    view: ReaderView,
    wanted: readonly PositionName[],
  ): Promise<(Uint8Array | null)[]> {
    if (!(await this.catchUp(kept, view))) return view.positions(wanted)
    const known = wanted.map((name) => kept.rows.at(name, view.asOf))
    const missing = wanted.filter((_, at) => known[at] === undefined)
    if (missing.length === 0) return known as (Uint8Array | null)[]
    const read = (await view.positions(missing)).values()
    return known.map((row) => (row === undefined ? read.next().value! : row))
  }

  private keptView(view: ReaderView): ReaderView {
    const kept = this.keptOf(view.organization.id, view)
    return {
      ...passedOn(
        view,
        ['asOf', 'epoch', 'oldest', 'organization', 'progress', 'tasks'],
        ['itemsAfter', 'retentions', 'range', 'newest', 'newestIn', 'earlierTrips'],
        ['rows', 'rowsBefore', 'records', 'recordsOf', 'page', 'withRecords', 'checkpoint'],
      ),
      changes: async (after, limit) => {
        const changes = await view.changes(after, limit)
        this.follow(kept, after, changes)
        return changes
      },
      items: async (topic, ids) => {
        if (topic !== 'objects') return view.items(topic, ids)
        const found = await this.find(kept, view, kept.objects, ids, async (missing) => {
          const objects = await view.items('objects', missing)
          return new Map(objects.map((object) => [object.id, object]))
        })
        return [...found.values()].sort((a, b) => a.id - b.id) as never
      },
      positions: (wanted) => this.positions(kept, view, wanted),
      states: (objects) => this.find(kept, view, kept.states, objects, view.states),
    }
  }
}

/** Whether the log leads from the kept values to the view. */
function isWithinLog({ epoch, asOf }: Kept, view: ReaderView): boolean {
  return epoch === view.epoch && view.asOf - asOf <= MAX_CHANGES && view.oldest <= asOf + 1
}
