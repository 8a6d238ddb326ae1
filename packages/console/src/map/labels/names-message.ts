import type { Found, ObjectName } from './object-names.ts'

/** `list`: the number of the list that is asked. Another number than before: load it again first. */
export type NamesQuestion = { question: number; list: number } & (
  | { typed: string; most: number }
  | { matching: string }
  | { ids: number[] }
)

/** `objects` are in the order of the ids; an id without an object has none. */
export type NamesAnswer = { question: number } & (
  | { found: Found }
  | { matches: Float64Array<ArrayBuffer> }
  | { objects: (ObjectName | undefined)[] }
  | { error: string }
)
