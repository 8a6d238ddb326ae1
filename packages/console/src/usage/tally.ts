import type { Usage } from '../api/types.ts'
import { kindOf, STATUS_KINDS, type StatusKind } from './statuses.ts'

export type Counts = Record<StatusKind, number>

export type OperationTally = {
  operation: string
  requests: number
  counts: Counts
  statuses: [status: number, requests: number][]
}

const none = (): Counts => Object.fromEntries(STATUS_KINDS.map((kind) => [kind, 0])) as Counts

export function countsOf(answers: Usage['days'][number]['answers']): Counts {
  const counts = none()
  for (const { status, requests } of answers) counts[kindOf(status)] += requests
  return counts
}

/** Sums all days by operation, the busiest first. */
export function byOperation(days: Usage['days']): OperationTally[] {
  const tallies = new Map<string, { counts: Counts; statuses: Map<number, number> }>()
  for (const { operation, status, requests } of days.flatMap((day) => day.answers)) {
    let tally = tallies.get(operation)
    if (tally === undefined) {
      tally = { counts: none(), statuses: new Map() }
      tallies.set(operation, tally)
    }
    tally.counts[kindOf(status)] += requests
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + requests)
  }
  return [...tallies]
    .map(([operation, { counts, statuses }]) => ({
      operation,
      counts,
      requests: Object.values(counts).reduce((sum, each) => sum + each, 0),
      statuses: [...statuses].sort(([one], [other]) => one - other),
    }))
    .sort((one, other) => other.requests - one.requests)
}
