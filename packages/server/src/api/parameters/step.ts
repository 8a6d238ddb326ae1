import { DAY_MS } from '../../domain/time/time.ts'
import type { Refusal } from '../refusal.ts'
import type { Query } from '../request/query.ts'
import { integerIn } from './integer.ts'

const SECOND_MS = 1_000
const NO_STEP = 0

/** Reads `step`: the length in ms of the intervals of UTC whose first positions are wanted. Null: all are. */
export function readStep(query: Query): number | null | Refusal {
  const text = query.get('step')?.[0] || undefined
  const seconds = integerIn('step', text, 1, DAY_MS / SECOND_MS, NO_STEP)
  if (typeof seconds === 'object') return seconds
  return seconds === NO_STEP ? null : seconds * SECOND_MS
}

/** The step as a parameter of a link to the next page. */
export function stepParameter(stepMs: number | null): { step?: string } {
  return stepMs === null ? {} : { step: String(stepMs / SECOND_MS) }
}
