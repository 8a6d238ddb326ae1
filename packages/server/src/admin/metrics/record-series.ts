import { Counter, Gauge, type Registry } from 'prom-client'
import type { Deriver } from '../../journeys/deriver.ts'

export type RecordSeries = {
  /** Counts rows of which records were derived. */
  derived(rows: number): void
  /** Shows how far a deriver is from now on. */
  follow(deriver: Pick<Deriver, 'behindMs' | 'tasks' | 'failures'>): void
}

/** The series of the derivation of records. A process shows its own organizations, so the sums have a meaning. */
export function recordSeries(registry: Registry): RecordSeries {
  const registers = [registry]
  const rows = new Counter({
    name: 'fleetgate_derived_positions_total',
    help: 'Positions from which trips, stops and visits were derived; those of a late position again.',
    registers,
  })
  return {
    derived: (count) => rows.inc(count),
    follow(deriver) {
      new Gauge({
        name: 'fleetgate_records_behind_seconds',
        help: 'Seconds since the oldest change that is not derived yet was found.',
        registers,
        aggregator: 'max',
        collect() {
          this.set(deriver.behindMs() / 1_000)
        },
      })
      new Gauge({
        name: 'fleetgate_record_tasks',
        help: 'Tasks of the derivation that are left, such as an edited place.',
        registers,
        collect() {
          this.set(deriver.tasks())
        },
      })
      new Gauge({
        name: 'fleetgate_record_failures',
        help: 'Objects and places whose trips, stops and visits cannot be derived.',
        registers,
        collect() {
          this.set(deriver.failures())
        },
      })
    },
  }
}
