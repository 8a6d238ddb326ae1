import type { Columns } from '../encode/formats/position-form.ts'
import type { Refusal } from '../refusal.ts'
import type { Query } from '../request/query.ts'
import { choicesIn } from './choices.ts'

export const INCLUDED = ['quality', 'exact'] as const

/** Reads `include`: the fields that rows have besides those of the contract. */
export function readColumns(query: Query): Columns | Refusal {
  const included = choicesIn(query, 'include', INCLUDED) ?? []
  if ('status' in included) return included
  return { hasQuality: included.includes('quality'), isExact: included.includes('exact') }
}

/** The columns as a parameter of a link to the next page. */
export function includeParameter({ hasQuality, isExact }: Columns): { include?: string } {
  const included = INCLUDED.filter((name) => (name === 'quality' ? hasQuality : isExact))
  return included.length === 0 ? {} : { include: included.join() }
}
