import {
  NumberReader,
  NumberWriter,
  unzigzag,
  zigzag,
} from '../../base/domain/common/packed-numbers.ts'
import {
  ITEM_TOPICS,
  type ItemTopic,
  RECORD_TYPES,
  type RecordType,
} from '../../base/domain/item-rules.ts'
import type { Extent } from '../../base/domain/record.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import type { ChangeNotes, FoldTarget } from '../tracking/fold-tables.ts'

/**
 * The entries of one transaction: they name what changed. Objects are in the order of their ids, positions in
 * the order of their times.
 */
export interface ChangeEntries {
  items: readonly ItemEntry[]
  /** The ids of levels whose sources or settings changed, so that their changes are derived again. No answer shows them. */
  attributes: readonly number[]
  /** The days for which positions were kept until this change (null: no limit). Undefined: no change. */
  retainedBefore: number | null | undefined
  objects: readonly ObjectEntry[]
  /** Derived records. */
  records: readonly RecordEntry[]
}

/** `retainedBefore`: of an object, the days of its own retention until this change (null: none). Left out: no change. */
export type ItemEntry = {
  topic: ItemTopic
  id: number
  isDeleted: boolean
  retainedBefore?: number | null
}

/**
 * A derived record that changed. `before`: its `neededExtent` before the change. So a reader of a range of time learns of
 * a record that has left the range, even if it has expired and was deleted since, and of no other one. Null: it is new.
 */
export type RecordEntry = {
  type: RecordType
  object: number
  id: number
  before: Extent | null
  /** The id of the attribute of a change of level. */
  attribute?: number
}

/**
 * An object whose state changed, with its changed positions. `rewritten`: from the first to the last row that
 * was stored or rewritten and that `positions` does not name, because answers show the same as before. Null:
 * there is none.
 */
export interface ObjectEntry {
  object: number
  positions: readonly PositionEntry[]
  shifts: readonly ShiftEntry[]
  rewritten: TimeRange | null
}

/**
 * A position that is shown from now on, is shown with other values, or is no longer shown. `late`: the
 * object had a newer one before.
 */
export type PositionEntry = { time: number; late: boolean }

/**
 * Amounts by which the counters of all positions from a time on moved, in mm, mm and ms. `mileage` is for
 * the positions whose trip began before `from` and, unless it is null, at `tripsSince` or later. With null
 * it is also for positions without a trip. `visible`: the intervals of the positions that a reader sees, unless it sees
 * all. The log does not have it.
 */
export type ShiftEntry = {
  from: number
  visible?: readonly TimeRange[]
  tripsSince: number | null
  odometer: number
  mileage: number
  engineHours: number
}

export const NO_ENTRIES: ChangeEntries = {
  items: [],
  attributes: [],
  retainedBefore: undefined,
  objects: [],
  records: [],
}

const FORM = 1

/** The number of attributes among the topics. */
const ATTRIBUTE = 15
/** The number of an object whose retention changed. */
const RETAINED = 14

/**
 * Packs entries as a row of the log keeps them. All numbers are LEB128, signed ones zigzag first. A time is
 * the distance back from `at`, the time of the commit, so that it usually takes three bytes.
 *
 * | part | numbers |
 * |---|---|
 * | form | 1 |
 * | retention | 0: no change; 1: no limit before; days + 2 |
 * | items, attributes | count; for each: topic (of an attribute 15) * 2 + deleted, id. An object whose retention changed has topic 14, and then: days before, or 0 for none |
 * | objects | count; for each: id - id of the one before, positions, shifts |
 * | positions | count; for each: (at - time, then time - time before) * 2 + late |
 * | shifts | count; for each: at - from, from - tripsSince + 1 or 0 for null, odometer, mileage, engine hours |
 * | rewritten | count; for each: place among the objects - place of the one before, at - from, to - from |
 * | records | until the end, for each: type * 2 + 1 with an extent before, object - object of the one before, id - id of the one before; at - start and until - start of the extent, if there is one; of a level: attribute |
 */
export function packEntries(entries: ChangeEntries, at: number): Uint8Array {
  const out = new NumberWriter()
  out.unsigned(FORM)
  const { retainedBefore: days } = entries
  out.unsigned(days === undefined ? 0 : days === null ? 1 : days + 2)
  out.unsigned(entries.items.length + entries.attributes.length)
  for (const { topic, id, isDeleted, retainedBefore } of entries.items) {
    const number = retainedBefore === undefined ? ITEM_TOPICS.indexOf(topic) : RETAINED
    out.unsigned(number * 2 + Number(isDeleted))
    out.unsigned(id)
    if (retainedBefore !== undefined) out.unsigned(retainedBefore ?? 0)
  }
  for (const id of entries.attributes) {
    out.unsigned(ATTRIBUTE * 2)
    out.unsigned(id)
  }
  out.unsigned(entries.objects.length)
  let last = 0
  for (const each of entries.objects) {
    out.unsigned(each.object - last)
    last = each.object
    packPositions(out, each.positions, at)
    out.unsigned(each.shifts.length)
    for (const { from, tripsSince, odometer, mileage, engineHours } of each.shifts) {
      out.signed(at - from)
      out.unsigned(tripsSince === null ? 0 : from - tripsSince + 1)
      out.signed(odometer)
      out.signed(mileage)
      out.signed(engineHours)
    }
  }
  packRewritten(out, entries.objects, at)
  packRecords(out, entries.records, at)
  return out.bytes()
}

function packPositions(out: NumberWriter, positions: readonly PositionEntry[], at: number): void {
  out.unsigned(positions.length)
  let last: number | undefined
  for (const { time, late } of positions) {
    const step = last === undefined ? zigzag(at - time) : time - last
    out.unsigned(step * 2 + Number(late))
    last = time
  }
}

function packRewritten(out: NumberWriter, objects: readonly ObjectEntry[], at: number): void {
  let count = 0
  for (const { rewritten } of objects) if (rewritten) count += 1
  out.unsigned(count)
  if (count === 0) return
  let last = 0
  for (const [place, { rewritten }] of objects.entries()) {
    if (!rewritten) continue
    out.unsigned(place - last)
    out.signed(at - rewritten.from)
    out.unsigned(rewritten.to - rewritten.from)
    last = place
  }
}

function packRecords(out: NumberWriter, records: readonly RecordEntry[], at: number): void {
  let last = { object: 0, id: 0 }
  for (const { type, object, id, before, attribute } of records) {
    out.unsigned(RECORD_TYPES.indexOf(type) * 2 + Number(before !== null))
    out.signed(object - last.object)
    out.signed(id - last.id)
    if (before !== null) {
      out.signed(at - before.start)
      out.unsigned(before.until - before.start)
    }
    if (attribute !== undefined) out.unsigned(attribute)
    last = { object, id }
  }
}

export function unpackEntries(packed: Uint8Array, at: number): ChangeEntries {
  const input = new NumberReader(packed)
  if (input.unsigned() !== FORM)
    throw new Error('a change has a format that this version does not know')
  const retention = input.unsigned()
  const { items, attributes } = unpackItems(input)
  let object = 0
  const objects = list(input.unsigned(), (): ObjectEntry => {
    object += input.unsigned()
    return {
      object,
      positions: unpackPositions(input, at),
      shifts: list(input.unsigned(), () => unpackShift(input, at)),
      rewritten: null,
    }
  })
  unpackRewritten(input, objects, at)
  const records = unpackRecords(input, at)
  const retainedBefore = retention === 0 ? undefined : retention === 1 ? null : retention - 2
  return { items, attributes, retainedBefore, objects, records }
}

function unpackItems(input: NumberReader): Pick<ChangeEntries, 'items' | 'attributes'> {
  const items: ItemEntry[] = []
  const attributes: number[] = []
  for (let remaining = input.unsigned(); remaining > 0; remaining -= 1) {
    const kind = input.unsigned()
    const id = input.unsigned()
    if (kind >> 1 === ATTRIBUTE) attributes.push(id)
    else if (kind >> 1 === RETAINED) {
      const retainedBefore = input.unsigned() || null
      items.push({ topic: 'objects', isDeleted: false, id, retainedBefore })
    } else items.push({ topic: ITEM_TOPICS[kind >> 1]!, isDeleted: (kind & 1) === 1, id })
  }
  return { items, attributes }
}

function unpackRewritten(input: NumberReader, objects: ObjectEntry[], at: number): void {
  let place = 0
  for (let remaining = input.unsigned(); remaining > 0; remaining -= 1) {
    place += input.unsigned()
    const from = at - input.signed()
    objects[place]!.rewritten = { from, to: from + input.unsigned() }
  }
}

function unpackRecords(input: NumberReader, at: number): RecordEntry[] {
  const records: RecordEntry[] = []
  for (let object = 0, id = 0; !input.isAtEnd(); ) {
    const kind = input.unsigned()
    object += input.signed()
    id += input.signed()
    const before = (kind & 1) === 1 ? unpackExtent(input, at) : null
    const type = RECORD_TYPES[kind >> 1]!
    const level = type === 'levels' && { attribute: input.unsigned() }
    records.push({ type, object, id, before, ...level })
  }
  return records
}

function unpackExtent(input: NumberReader, at: number): Extent {
  const start = at - input.signed()
  return { start, until: start + input.unsigned() }
}

function unpackShift(input: NumberReader, at: number): ShiftEntry {
  const from = at - input.signed()
  const back = input.unsigned()
  return {
    from,
    tripsSince: back === 0 ? null : from - back + 1,
    odometer: input.signed(),
    mileage: input.signed(),
    engineHours: input.signed(),
  }
}

function unpackPositions(input: NumberReader, at: number): PositionEntry[] {
  let time: number | undefined
  return list(input.unsigned(), () => {
    const step = input.unsigned()
    const distance = Math.floor(step / 2)
    time = time === undefined ? at - unzigzag(distance) : time + distance
    return { time, late: step % 2 === 1 }
  })
}

/**
 * Packed entries that name nothing. A longer text that begins with them names derived records alone. Alone it is a
 * change of something that no entry names, such as the distance unit.
 */
export const NOTHING_NAMED = packEntries(NO_ENTRIES, 0)

/** A loop, because `Array.from` takes several times as long. */
function list<T>(length: number, next: () => T): T[] {
  const all: T[] = []
  for (let count = 0; count < length; count += 1) all.push(next())
  return all
}

/** The notes of one transaction of an organization. */
type TakenNotes = ChangeNotes & {
  /**
   * The entries of the touched objects. `before`: an object as it was before the transaction; undefined if
   * it is not known any more.
   */
  entries(
    touched: Iterable<number>,
    before: (object: number) => FoldTarget | undefined | null,
  ): ObjectEntry[]
}

export function takeNotes(): TakenNotes {
  const times = new Map<number, number[]>()
  const shifts = new Map<number, ShiftEntry[]>()
  const ranges = new Map<number, TimeRange>()

  function positionsOf(object: number, before: FoldTarget | undefined | null): PositionEntry[] {
    const newest = before?.state.fold?.at ?? -1
    const noted = times.get(object)
    if (noted === undefined) return []
    // A position may be rewritten several times. Most objects have one.
    const distinct = noted.length === 1 ? noted : [...new Set(noted)].sort((a, b) => a - b)
    return distinct.map((time) => ({ time, late: time < newest }))
  }

  return {
    position: (object, time) => add(times, object, time),
    rewritten(object, time) {
      const range = ranges.get(object)
      if (range === undefined) ranges.set(object, { from: time, to: time })
      else if (time < range.from) range.from = time
      else if (time > range.to) range.to = time
    },
    shift: (object, shift) => add(shifts, object, shift),
    entries: (touched, before) =>
      [...touched]
        .sort((a, b) => a - b)
        .map((object) => ({
          object,
          positions: positionsOf(object, before(object)),
          shifts: shifts.get(object) ?? [],
          rewritten: ranges.get(object) ?? null,
        })),
  }
}

function add<T>(lists: Map<number, T[]>, object: number, value: T): void {
  const list = lists.get(object)
  if (list === undefined) lists.set(object, [value])
  else list.push(value)
}
