import { takeTurn } from '../../base/domain/common/slots.ts'
import type { RecordType } from '../../base/domain/item-rules.ts'
import type { LoggedChange, ReaderView } from '../store/change-log.ts'
import { PACK_AFTER_MS } from '../store/position-store.ts'
import { isChosenObject, type Step } from './change-steps.ts'
import type {
  JoinedChange,
  JoinedChangeAt,
  JoinedPart,
  JoinedRange,
  LogOffset,
  PageOptions,
  Selection,
} from './page.ts'

/*
 * This file joins consecutive changes of the log, so that a page reads what they name once: the join, its steps,
 * and the joined changes that a process keeps between pages.
 */

type Names = number[]
type NamedRecord = { type: RecordType; object: number }

/** Whether a change names positions, states and records alone. Others come one by one. */
function canJoin({ entries }: LoggedChange): boolean {
  return entries.items.length === 0 && entries.retainedBefore === undefined
}

/** A joined change that grows by the next one. `after`: the number of the change before the first one. */
class JoinedChangeDraft {
  private readonly after: number
  private readonly shifts: JoinedChange['shifts'][number][] = []
  private readonly named: Map<number, Names> = new Map()
  private readonly records: Map<number, NamedRecord> = new Map()
  last: number
  size = 0

  constructor(after: number) {
    this.after = after
    this.last = after
  }

  get objects(): number {
    return this.named.size
  }

  /** At least 1. */
  sizeOfChange(): number {
    return Math.max(1, this.size / Math.max(1, this.last - this.after))
  }

  add({ seq, entries }: LoggedChange): void {
    for (const { object, positions, shifts } of entries.objects) {
      const names = this.named.get(object) ?? []
      if (names.length === 0) this.named.set(object, names)
      for (const { time, late } of positions) names.push(time * 2 + Number(late))
      if (shifts.length > 0) this.shifts.push({ seq, object, shifts })
      this.size += Math.max(1, positions.length)
    }
    for (const { type, object, id } of entries.records) this.records.set(id, { type, object })
    this.size += entries.records.length
    this.last = seq
  }

  whole(): JoinedChange {
    const { after, last, shifts, named, records, size } = this
    return { after, last, shifts, size, objects: byId(named), records: byId(records) }
  }
}

function byId<Value>(values: ReadonlyMap<number, Value>): Map<number, Value> {
  const ids = Float64Array.from(values.keys()).sort()
  return new Map(Array.from(ids, (id) => [id, values.get(id)!]))
}

/** The parts in their order. The steps of each come by two numbers, the `id` and the `time` of offsets. */
const PARTS = ['shifts', 'positions', 'states', 'records'] as const satisfies JoinedPart[]
const BEGINNING = { id: 0, time: -1 }

/** The selected steps of a joined change from an offset on. */
export function* stepsOfJoined(
  joined: JoinedChange,
  offset: LogOffset,
  { types, ids }: Selection,
): Generator<Step> {
  const reached = PARTS.indexOf(offset.joined?.part ?? 'shifts')
  const has = isChosenObject(ids)
  const of = { seq: joined.last, index: 0, joined }
  /** Where a part begins for this reader. Undefined: it has the part, or has not chosen it. */
  const startOf = (part: JoinedPart, isSelected: boolean) => {
    const at = PARTS.indexOf(part)
    if (at < reached || !isSelected) return undefined
    return at === reached && offset.joined !== undefined ? offset : BEGINNING
  }

  const shiftsFrom = startOf('shifts', types.has('positions'))
  for (const { seq, object, shifts } of shiftsFrom ? joined.shifts : []) {
    const isNext = !isBefore(seq, object, shiftsFrom!)
    if (isNext && has(object)) yield { ...of, seq, is: 'shifts', object, shifts }
  }
  const positionsFrom = startOf('positions', types.has('positions'))
  for (const [object, names] of positionsFrom ? joined.objects : []) {
    if (object < positionsFrom!.id || !has(object)) continue
    for (const { time, late } of positionsIn(names)) {
      if (isBefore(object, time, positionsFrom!)) continue
      yield { ...of, is: 'position', object, time, late, row: null }
    }
  }
  const statesFrom = startOf('states', types.has('states'))
  for (const [object, names] of statesFrom ? joined.objects : []) {
    if (object < statesFrom!.id || !has(object)) continue
    yield { ...of, is: 'state', object, brought: newestIn(names) }
  }
  const recordsFrom = startOf('records', true)
  for (const [id, { type, object }] of recordsFrom ? joined.records : []) {
    if (id < recordsFrom!.id || !types.has(type) || !has(object)) continue
    yield { ...of, is: 'record', object, type, id }
  }
}

function isBefore(id: number, time: number, offset: typeof BEGINNING): boolean {
  return id < offset.id || (id === offset.id && time < offset.time)
}

/** Each position once, by time. It was late if it was late whenever it was named. */
function* positionsIn(names: Names): Generator<{ time: number; late: boolean }> {
  let last = -1
  for (const name of names.sort((one, other) => one - other)) {
    const time = Math.floor(name / 2)
    if (time !== last) yield { time, late: name % 2 === 1 }
    last = time
  }
}

/**
 * The newest position, unless it was late: a key that does not see what came before it sees it as the newest one, and no
 * later change names it.
 */
function newestIn(names: Names): number | null {
  const newest = [-1, -1]
  for (const name of names) newest[name % 2] = Math.max(newest[name % 2]!, Math.floor(name / 2))
  const [inTime, late] = newest as [number, number]
  return inTime === -1 || late > inTime ? null : inTime
}

/** The offset before a step of a joined change. */
export function offsetInJoined({ after, last }: JoinedRange, step: Step): LogOffset {
  return { part: 'log', after, skip: 0, ...keyOf(step, last) }
}

function keyOf(step: Step, last: number): Pick<LogOffset, 'id' | 'time' | 'joined'> {
  const key = (part: JoinedPart, id: number, time = BEGINNING.time) => {
    return { id, time, joined: { last, part } }
  }
  switch (step.is) {
    case 'shifts':
      return key('shifts', step.seq, step.object)
    case 'position':
      return key('positions', step.object, step.time)
    case 'state':
      return key('states', step.object)
    case 'record':
      return key('records', step.id)
    default:
      throw new Error(`a joined change has no ${step.is}`)
  }
}

/** Reading as many takes some 60 ms of processor time, while others wait for the connection of the view. */
const MAX_NAMES = 200_000
/** So the names that a page reads cost no more than many of its entries. */
const NAMES_OF_ENTRY = 200
/** Names that are read before others have their turn: some milliseconds. */
const NAMES_AT_ONCE = 4_000
/** The same of changes. A page of a stream passes fewer, and waits for no turn: it holds the connection of its view. */
const CHANGES_A_TURN = 250
const MAX_CHANGES = 10_000
/** More names of each object would make a page hardly cheaper: they are read from one block. */
const NAMES_OF_OBJECT = 32
const MAX_CHANGES_AT_ONCE = 50
/** As many old changes are joined even if they do not fill a page. */
const MIN_CHANGES = 50

/** Names that a process keeps, and for how long nobody may use them: some 10 MB. */
const MAX_KEPT = 1_000_000
const UNUSED_MS = 60_000

type JoinOptions = Pick<PageOptions, 'limit' | 'now'>

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
    return async (view, offset, options) => {
      const { organization, epoch } = view
      const keyOf = ({ after, last }: { after: number; last: number }) =>
        [organization.id, epoch, sight, after, last].join(' ')
      if (offset.joined === undefined) {
        const begun = await begin(view, offset, options)
        if ('last' in begun) this.keep(keyOf(begun), begun)
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
function isOld({ at }: LoggedChange, { now }: JoinOptions): boolean {
  return at < now - PACK_AFTER_MS
}

/**
 * The joined change that begins at an offset, if it fills a page, or is long and old. Otherwise the next changes as far as
 * they were read.
 */
async function begin(
  view: ReaderView,
  { after, skip, time }: LogOffset,
  options: JoinOptions,
): Promise<JoinedChange | readonly LoggedChange[]> {
  const changes = await view.changes(after, 1)
  const [first] = changes
  if (first === undefined || skip > 0 || time >= 0 || !canJoin(first)) return changes
  const joined = new JoinedChangeDraft(first.seq - 1)
  joined.add(first)
  const most = Math.min(MAX_NAMES, NAMES_OF_ENTRY * options.limit)
  const wanted = () => Math.min(most, Math.max(options.limit, NAMES_OF_OBJECT * joined.objects))
  const end = Math.min(view.asOf, first.seq + MAX_CHANGES)
  await grow(view, joined, end, wanted, (change) => {
    if (canJoin(change)) changes.push(change)
    return canJoin(change)
  })
  const isLong = isOld(first, options) && joined.last - first.seq >= MIN_CHANGES
  const isWorthIt = isLong || joined.size >= options.limit
  return joined.last > first.seq && isWorthIt ? joined.whole() : changes
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
  let turn = { last: joined.last, size: joined.size }
  while (joined.last < end && joined.size < wanted()) {
    const { last, size } = joined
    if (last - turn.last >= CHANGES_A_TURN || size - turn.size >= NAMES_AT_ONCE) {
      await takeTurn()
      turn = { last, size }
    }
    const names = Math.min(NAMES_AT_ONCE, wanted() - joined.size)
    const missing = Math.ceil(names / joined.sizeOfChange())
    const atOnce = Math.min(missing, MAX_CHANGES_AT_ONCE, end - joined.last)
    const changes = await view.changes(joined.last, atOnce)
    if (changes.length === 0) return
    for (const change of changes) {
      if (change.seq > end || !canAdd(change)) return
      joined.add(change)
    }
  }
}
