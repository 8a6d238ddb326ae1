import type { AttributeEntry } from '../../base/domain/attributes/catalogue.ts'
import { faultOf, takersByName } from '../../base/domain/attributes/shown-value.ts'
import type { CurrentAttributes } from '../../base/domain/position/current-attributes.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import { VALUE_ROWS } from '../../engine/journeys/days/attribute-spans.ts'
import { type AttributeView, RowReader } from '../../engine/journeys/row-reader.ts'

/** Most positions that bring a part of the values are close to those that bring the others. */
const FIRST_ROWS = 20

/** PostgreSQL answers the next question while this process reads an answer. */
const READ_AT_ONCE = 16

/**
 * The attributes of objects at the end of a range: of each name that these entries take, the newest value of the last
 * `VALUE_ROWS` positions in the range, hidden ones too, as the current values have it. By object; absent for one whose devices send none.
 */
export async function attributesAt(
  view: AttributeView,
  objects: readonly number[],
  range: TimeRange,
  entries: readonly AttributeEntry[],
): Promise<Map<number, CurrentAttributes>> {
  const reader = new RowReader(view)
  const found = new Map<number, CurrentAttributes>()
  const takers = takersByName(entries)
  if (takers.size === 0) return found
  const states = [...(await view.states(objects))].filter(([, each]) => each.attributes.length > 0)
  for (let from = 0; from < states.length; from += READ_AT_ONCE) {
    const part = states.slice(from, from + READ_AT_ONCE).map(async ([object, { attributes }]) => {
      found.set(object, await newestValues(reader, object, range, { names: attributes, takers }))
    })
    await Promise.all(part)
  }
  return found
}

type Wanted = {
  readonly names: CurrentAttributes
  readonly takers: ReturnType<typeof takersByName<AttributeEntry>>
}

async function newestValues(
  reader: RowReader,
  object: number,
  { from, to }: TimeRange,
  { names, takers }: Wanted,
): Promise<CurrentAttributes> {
  const values = names.map(({ name }) => ({ name, value: null, at: 0, count: 0 })) as {
    -readonly [Key in keyof CurrentAttributes[number]]: CurrentAttributes[number][Key]
  }[]
  let missing = names.filter(({ name }) => takers.has(name)).length
  let rows = 0
  if (missing === 0) return values
  for await (const chunk of reader.before(object, to + 1, FIRST_ROWS)) {
    for (const { time, attributes } of chunk) {
      rows += 1
      if (time < from || rows > VALUE_ROWS) return values
      attributes?.((index, value) => {
        const known = values[index]
        if (known === undefined || known.value !== null) return
        const isValue = takers.get(known.name)?.some((entry) => faultOf(value, entry) === undefined)
        if (!isValue) return
        Object.assign(known, { value, at: time, count: 1 })
        missing -= 1
      })
      if (missing === 0) return values
    }
  }
  return values
}
