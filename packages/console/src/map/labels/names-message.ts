import type { Found, ObjectName } from './object-names.ts'

/** `list`: the number of the list that is asked. Another number than before: load it again first. */
export type NamesQuestion = { question: number; list: number } & (
  | { typed: string; most: number }
  | { matching: string }
  | { ids: number[] }
)

/** For ids: the objects in their order, and none for an id without an object. */
export type NamesResult = Found | Float64Array<ArrayBuffer> | (ObjectName | undefined)[]

export type NamesAnswer = { question: number } & ({ result: NamesResult } | { error: string })
