import type { RecordType } from '../domain/items.ts'
import type { LoggedChange } from '../store/change-log.ts'
import type { JoinedChange, JoinedPart, JoinedRange, LogOffset, Selection } from './page.ts'
import { isChosenObject, type Step } from './steps.ts'

type Names = number[]
type NamedRecord = { type: RecordType; object: number }

/** Whether a change names positions, states and records alone. Others come one by one. */
export function canJoin({ entries }: LoggedChange): boolean {
  return entries.items.length === 0 && entries.retainedBefore === undefined
}

/** A joined change that grows by the next one. `after`: the number of the change before the first one. */
export class JoinedChangeDraft {
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
      yield { ...of, is: 'position', object, time, late, record: null }
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

/** The newest position that was not late. */
function newestIn(names: Names): number | null {
  let newest: number | null = null
  for (const name of names) {
    if (name % 2 === 0 && name / 2 > (newest ?? -1)) newest = name / 2
  }
  return newest
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
