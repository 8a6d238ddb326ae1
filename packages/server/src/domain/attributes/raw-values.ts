import type { AttributeNames } from './attribute-section.ts'
import type { AttributeEntry, AttributeValue } from './catalogue.ts'

/** An entry that takes the values of a name, and the place of the name among its sources. */
type Taker = { readonly entry: number; readonly rank: number }

/** The values of one position as its device gave them, by the entries that an answer shows. */
export class RawValues {
  /** Undefined: the position carries no source of the entry. */
  readonly values: (AttributeValue | undefined)[]
  /** Whether a position had a name that came after `names` was read. */
  hasUnknown = false
  private readonly takers: readonly (readonly Taker[])[]
  private readonly ranks: number[]

  /** `names`: those of the object. */
  constructor(entries: readonly Pick<AttributeEntry, 'sources'>[], names: AttributeNames) {
    this.values = entries.map(() => undefined)
    this.ranks = entries.map(() => 0)
    this.takers = names.map(({ name }) => takersOf(entries, name))
  }

  /** Forgets the position before. */
  readonly clear = (): void => {
    this.values.fill(undefined)
  }

  /** Takes the value of the name with this index. The first source that a position carries wins. */
  readonly take = (index: number, value: AttributeValue): void => {
    const takers = this.takers[index]
    if (takers === undefined) {
      this.hasUnknown = true
      return
    }
    for (const { entry, rank } of takers) {
      if (this.values[entry] !== undefined && this.ranks[entry]! <= rank) continue
      this.values[entry] = value
      this.ranks[entry] = rank
    }
  }
}

function takersOf(entries: readonly Pick<AttributeEntry, 'sources'>[], name: string): Taker[] {
  return entries.flatMap(({ sources }, entry) => {
    const rank = sources.indexOf(name)
    return rank < 0 ? [] : [{ entry, rank }]
  })
}
