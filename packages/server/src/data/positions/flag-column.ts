import type { NumberReader, NumberWriter } from '../../base/domain/common/packed-numbers.ts'
import { KNOWN_WORDS, WORD, WORDS } from './block-columns.ts'
import { NewerBlock, planesOf, readPlanes, widthOf } from './column-bytes.ts'
import type { RowSpan } from './column-form.ts'

/*
 * All that is discrete of the rows: which numbers each has, its switches, its motion, whether it is hidden. Neighbors
 * are usually alike, and an object has some dozens of combinations. So a block has each combination once, and planes of
 * which one each row has.
 */

/** The combinations that rows have, and the place among them of that of each row. */
type Combinations = { words: number[]; places: Float64Array }

/** `flags`: of each row, by `WORD`. */
export function writeFlags(out: NumberWriter, flags: readonly Int32Array[], rows: number): void {
  const { words, places } = combinationsIn(flags, rows)
  const count = words.length / WORDS
  out.unsigned(count)
  for (const word of words) out.unsigned(word)
  out.raw(planesOf(places, 1, widthOf(count - 1)))
}

function combinationsIn(flags: readonly Int32Array[], rows: number): Combinations {
  const [fix, fold, readings] = [flags[WORD.fix]!, flags[WORD.fold]!, flags[WORD.readings]!]
  const places = new Float64Array(rows)
  const words: number[] = []
  const known = new Map<number, number[]>()
  for (let row = 0; row < rows; row += 1) {
    const [first, second, third] = [fix[row]!, fold[row]!, readings[row]!]
    const isSame = (at: number) => words[at + 1] === second && words[at + 2] === third
    const alike = known.get(first) ?? []
    let at = alike.find(isSame)
    if (at === undefined) {
      at = words.push(first, second, third) - WORDS
      alike.unshift(at)
      known.set(first, alike)
    }
    places[row] = at / WORDS
  }
  return { words, places }
}

/** Reads the flags of the rows of a span, by `WORD`. Throws `NewerBlock` for one that this version does not know. */
export function readFlags(input: NumberReader, { rows, from, to }: RowSpan): Int32Array[] {
  const count = input.unsigned()
  const words = new Int32Array(count * WORDS)
  for (let i = 0; i < words.length; i += 1) {
    words[i] = input.unsigned()
    if ((words[i]! & ~KNOWN_WORDS[i % WORDS]!) !== 0) throw new NewerBlock()
  }
  const places = new Float64Array(to - from)
  readPlanes(input, rows, 1, widthOf(count - 1), places, from)
  const flags = [WORD.fix, WORD.fold, WORD.readings].map(() => new Int32Array(places.length))
  const [fix, fold, readings] = flags
  for (let row = 0; row < places.length; row += 1) {
    const at = places[row]! * WORDS
    fix![row] = words[at + WORD.fix]!
    fold![row] = words[at + WORD.fold]!
    readings![row] = words[at + WORD.readings]!
  }
  return flags
}
