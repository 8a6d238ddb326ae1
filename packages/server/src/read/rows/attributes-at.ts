import type { AttributeEntry } from '../../base/domain/attributes/attribute-catalogue.ts'
import { type Takers, takersByName, takersOf } from '../../base/domain/attributes/takers.ts'
import {
  type CurrentAttribute,
  type CurrentAttributes,
  noValue,
} from '../../base/domain/position/current-attributes.ts'
import type { AttributesAt } from '../../base/domain/position/object-state.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import { VALUE_ROWS } from '../../engine/journeys/days/counter-gain.ts'
import type { AttributeView } from '../../engine/journeys/days/summary-reader.ts'
import { RowReader } from '../../engine/journeys/row-reader.ts'
import { visibleParts } from '../../engine/store/change-log.ts'
import type { TrackRow } from '../../engine/tracking/track-row.ts'

/** Most positions that bring a part of the values are close to those that bring the others. */
const FIRST_ROWS = 20

/** PostgreSQL answers the next question while this process reads an answer. */
const READ_AT_ONCE = 16

/**
 * The attributes of objects at the ends of their ranges: of each name that these entries take, the newest value of the last `VALUE_ROWS`
 * positions in the range, hidden ones too, as the current values have it. By object; absent for one whose devices send none.
 */
export async function attributesAt(
  view: AttributeView,
  objects: readonly number[],
  rangeOf: (object: number) => TimeRange,
  entries: readonly AttributeEntry[],
): Promise<Map<number, AttributesAt>> {
  const reader = new RowReader(view)
  const found = new Map<number, AttributesAt>()
  const takers = takersByName(entries)
  if (takers.size === 0) return found
  const states = [...(await view.states(objects))].filter(([, each]) => each.attributes.length > 0)
  for (let from = 0; from < states.length; from += READ_AT_ONCE) {
    const part = states.slice(from, from + READ_AT_ONCE).map(async ([object, { attributes }]) => {
      const values = new NewestValues(attributes, object, takers)
      if (values.missing > 0) await fill(view, values, reader, object, rangeOf(object))
      found.set(object, values)
    })
    await Promise.all(part)
  }
  return found
}

async function fill(
  view: AttributeView,
  values: NewestValues,
  reader: RowReader,
  object: number,
  range: TimeRange,
): Promise<void> {
  for (const part of visibleParts(view, object, range).toReversed()) {
    await fillFrom(values, reader, object, part)
    if (values.newest > 0) return
  }
}

async function fillFrom(
  values: NewestValues,
  reader: RowReader,
  object: number,
  { from, to }: TimeRange,
): Promise<void> {
  let rows = 0
  for await (const chunk of reader.before(object, to + 1, FIRST_ROWS)) {
    for (const row of chunk) {
      rows += 1
      if (row.time < from || rows > VALUE_ROWS || !values.add(row)) return
    }
  }
}

type Value = { -readonly [Key in keyof CurrentAttribute]: CurrentAttribute[Key] }

/** The newest values of some names of an object, of rows from the newest one back. */
class NewestValues implements AttributesAt {
  readonly attributes: readonly Value[]
  newest = 0
  offAt: number | null = null
  /** The number of names without a value so far. */
  missing: number
  /** By the index of a name: the sources that take it. */
  private readonly takers: readonly ReturnType<typeof takersOf>[]

  constructor(names: CurrentAttributes, object: number, takers: Takers) {
    this.attributes = names.map(({ name }) => noValue(name))
    this.takers = names.map(({ name }) => takersOf(takers, name, object))
    this.missing = this.takers.filter((each) => each.length > 0).length
  }

  /** Takes the row before. Returns whether an older one may have a value that is missing. */
  add({ time, isOff, attributes }: TrackRow): boolean {
    if (this.newest === 0) this.newest = time
    if (isOff) this.offAt ??= time
    attributes?.((index, value) => {
      const known = this.attributes[index]
      if (known === undefined || known.value !== null) return
      if (!this.takers[index]!.some(({ faultOf }) => faultOf(value) === undefined)) return
      Object.assign(known, { value, at: time, count: 1 })
      this.missing -= 1
    })
    return this.missing > 0
  }
}
