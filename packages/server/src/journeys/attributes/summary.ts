import type { AttributeValue } from '../../domain/attributes/attribute-value.ts'

/** The attribute of an object over the time of a trip, a stop or a day. */
export type Summary = NumberSummary | ShareSummary

/** By the entries that an answer shows. Null: no value. */
export type Summaries = readonly (Summary | null)[]

/** Whole units of 10^-decimals of the catalogue. */
export type NumberSummary = {
  readonly first: number
  readonly last: number
  readonly min: number
  readonly max: number
  /** The sum of the rises of a counter. Null: it is no counter. */
  readonly gain: number | null
}

/** Texts or switches. */
export type ShareSummary = {
  /** Null: only a value from before its time holds. */
  readonly first: AttributeValue | null
  readonly last: AttributeValue | null
  /** Those that held longest, with the parts of its time in which they did. */
  readonly values: readonly { readonly value: AttributeValue; readonly share: number }[]
}

/** A value holds for so many rows after its own, so that a reader finds it with a bounded search. */
export const VALUE_ROWS = 1_000
