import type { Found } from './object-names.ts'

/** `list`: the number of the list that is asked. Another number than before: load it again first. */
export type NamesQuestion = { question: number; list: number } & (
  | { typed: string; most: number }
  | { ids: number[] }
)

/** `names` are in the order of the ids; an id without an object has none. */
export type NamesAnswer = { question: number } & (
  | { found: Found }
  | { names: (string | undefined)[] }
  | { error: string }
)
