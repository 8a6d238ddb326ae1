import type { Found } from './object-names.ts'

/** `anew`: load the list again first. */
export type NamesQuestion = { question: number; anew: boolean } & (
  | { typed: string; most: number }
  | { ids: number[] }
)

/** `names` are in the order of the ids; an id without an object has none. */
export type NamesAnswer = { question: number } & (
  | { found: Found }
  | { names: (string | undefined)[] }
  | { error: string }
)
