import type { ChangeType } from './change-types.ts'
import { byTopic, ITEM_TOPICS, LIST_TOPICS } from './items.ts'
import { LAST_TIME, type TimeRange } from './time/time-range.ts'

/** The operations that a scope names. Each stands for one or more operations of the API. */
export const KEY_OPERATIONS = [
  'objects',
  'detail',
  'positions',
  'changes',
  'records',
  ...LIST_TOPICS,
  'coverage',
] as const
export type KeyOperation = (typeof KEY_OPERATIONS)[number]

/** The part of an organization that a key opens. A null field limits nothing. */
export type KeyScope = {
  /** In the order of `KEY_OPERATIONS`. */
  readonly operations: readonly KeyOperation[] | null
  /** The ids of objects, ascending. */
  readonly objects: readonly number[] | null
  /** The first and the last `time_device` of visible positions, milliseconds since the epoch. */
  readonly dataFrom: number | null
  readonly dataUntil: number | null
  /** The names of attributes, ascending. */
  readonly attributes: readonly string[] | null
  /** The requests of a rate window that the key may use. */
  readonly windowShare: number | null
}

export function opens(scope: KeyScope | null, operation: KeyOperation): boolean {
  return scope?.operations?.includes(operation) ?? true
}

export function opensAll(scope: KeyScope | null, operations: readonly KeyOperation[]): boolean {
  return scope === null || operations.every((each) => opens(scope, each))
}

/** The times of visible positions. Null: all. */
export function dataRangeOf({ dataFrom, dataUntil }: KeyScope): TimeRange | null {
  if (dataFrom === null && dataUntil === null) return null
  return { from: dataFrom ?? 0, to: dataUntil ?? LAST_TIME }
}

export function isWithin(range: TimeRange | null, time: number): boolean {
  return range === null || (time >= range.from && time <= range.to)
}

/**
 * A text that is the same for scopes that show the same. Cursors and entity tags are bound to it. Undefined: the scope
 * hides nothing. The share of the window is not in it, because it hides nothing.
 */
export function sightOf(scope: KeyScope | null): string | undefined {
  if (scope === null) return undefined
  const { operations, objects, dataFrom, dataUntil, attributes } = scope
  // A scope that names no attributes has the text that it had before scopes could.
  const named = attributes === null ? [] : [attributes]
  const limits = [operations, objects, dataFrom, dataUntil, ...named]
  return limits.every((limit) => limit === null) ? undefined : JSON.stringify(limits)
}

/** The operations that open each type of changes: any of them does. */
const OPENED_BY: Readonly<Record<ChangeType, readonly KeyOperation[]>> = {
  positions: ['positions'],
  states: ['detail', 'positions'],
  ...byTopic(ITEM_TOPICS, (topic) => [topic]),
  trips: ['records'],
  stops: ['records'],
  visits: ['records'],
}

/** Whether a key with this scope may read changes of a type. */
export function opensType(scope: KeyScope | null, type: ChangeType): boolean {
  return OPENED_BY[type].some((operation) => opens(scope, operation))
}
