import { FIX_FLAG } from '../../domain/position/fix-record.ts'
import { takeAttributes } from './attribute-columns.ts'
import { AT, type BlockColumns, COLUMNS, isAbsent, WORD } from './columns.ts'
import { joinTexts, startOf } from './texts.ts'

/** A row of one of several blocks. */
export type RowPlace = { readonly block: BlockColumns; readonly row: number }

/**
 * The columns of chosen rows, in the order of `places`: so blocks are joined, cut, and get newer rows in place of theirs,
 * without taking a record apart.
 */
export function takeRows(places: readonly RowPlace[]): BlockColumns {
  const flags = Object.values(WORD).map((word) =>
    Int32Array.from(places, ({ block, row }) => block.flags[word]![row]!),
  )
  const numbers = COLUMNS.map((column, place) =>
    isAbsent(column, flags)
      ? null
      : Float64Array.from(places, ({ block, row }) => block.numbers[place]?.[row] ?? 0),
  )
  return {
    ...{ rows: places.length, flags, numbers },
    addresses: takeAddresses(places, numbers),
    attributes: takeAttributes(places),
  }
}

/** The addresses that the rows have, each once for each block. Puts their places into the column. */
function takeAddresses(
  places: readonly RowPlace[],
  numbers: readonly (Float64Array | null)[],
): BlockColumns['addresses'] {
  const column = numbers[AT.address] ?? null
  const texts: Uint8Array[] = []
  if (column === null) return joinTexts(texts)
  const taken = new Map<BlockColumns, Map<number, number>>()
  for (const [i, { block, row }] of places.entries()) {
    if ((block.flags[WORD.fix]![row]! & FIX_FLAG.address) === 0) continue
    const mine = taken.get(block) ?? new Map<number, number>()
    taken.set(block, mine)
    const old = column[i]!
    const known = mine.get(old)
    column[i] = known ?? texts.length
    if (known !== undefined) continue
    mine.set(old, texts.length)
    const { bytes, ends } = block.addresses
    texts.push(bytes.subarray(startOf(block.addresses, old), ends[old]!))
  }
  return joinTexts(texts)
}
