import type { Needle } from './searched-files.ts'

/*
 * The forms in which a store, its log and its copies have positions.
 */

/** The columns that have places, whole or in parts. */
export const FORMS: readonly (readonly [table: string, column: string])[] = [
  ['positions', 'fix'],
  ['position_blocks', 'block'],
  ['records', 'fields'],
  ['records', 'checkpoint'],
  ['record_tails', 'progress'],
  ['object_states', 'last_fix'],
  ['object_states', 'numbers'],
  ['object_rejects', 'rejects'],
  ['webhook_deliveries', 'body'],
]

/** The stored values of each form, by its name. */
export type Values = ReadonlyMap<string, readonly Buffer[]>

export type Place = { latitude: number; longitude: number }

/** Values longer than this are not in one piece in a file. */
const WHOLE_BYTES = 80
const PIECE_BYTES = 24
/** Other pieces are nothing but flags and zeros. */
const MIN_DISTINCT = 12

/** Whole small values, and pieces of others. */
export function formsOf(values: Values): Needle[] {
  return Array.from(values, ([name, all]) =>
    all.flatMap((value) => piecesOf(value).map((bytes) => ({ name, bytes }))),
  ).flat()
}

function piecesOf(value: Buffer): Buffer[] {
  if (value.length <= WHOLE_BYTES) return [value].filter(isTelling)
  const pieces: Buffer[] = []
  for (let at = 0; at + PIECE_BYTES <= value.length; at += PIECE_BYTES) {
    pieces.push(value.subarray(at, at + PIECE_BYTES))
  }
  return pieces.filter(isTelling)
}

const isTelling = (bytes: Buffer) => new Set(bytes).size >= MIN_DISTINCT

/** The coordinates in each form that a program writes: the fixed-point numbers of a fix, binary ones, and text. */
export function coordinatesOf(places: readonly Place[]): Needle[] {
  return places.flatMap(({ latitude, longitude }) => {
    const [fixed, number] = [Buffer.alloc(8), Buffer.alloc(8)]
    fixed.writeInt32LE(Math.round(latitude * 1e7), 0)
    fixed.writeInt32LE(Math.round(longitude * 1e7), 4)
    number.writeDoubleLE(latitude)
    return [
      { name: 'fixed-point', bytes: fixed },
      { name: 'fixed-point, swapped', bytes: Buffer.from(fixed).swap32() },
      { name: 'number', bytes: number },
      { name: 'number, swapped', bytes: Buffer.from(number).swap64() },
      { name: 'text', bytes: Buffer.from(`${latitude}`) },
    ]
  })
}

/** The forms without those that stored values have too: what is left of a deleted record may be in the one that follows it. */
export function deletedForms(before: readonly Needle[], after: Values): Needle[] {
  const stored = Buffer.concat([...after.values()].flat())
  return before.filter(({ bytes }) => !stored.includes(bytes))
}
