import { Gauge, type Registry } from 'prom-client'
import type { PackingCounts } from '../../engine/store/position-store.ts'
import type { PackingPass } from '../../work/tasks/refold-and-pack.ts'

const SERIES: readonly { name: string; help: string; of(pass: PackingPass): number }[] = [
  {
    name: 'fleetgate_packed_positions',
    help: 'Positions in blocks.',
    of: sumOf('packed'),
  },
  {
    name: 'fleetgate_packed_blocks',
    help: 'Blocks of positions.',
    of: sumOf('blocks'),
  },
  {
    name: 'fleetgate_packed_bytes',
    help: 'Bytes of the blocks of positions.',
    of: sumOf('packedBytes'),
  },
  {
    name: 'fleetgate_unpacked_positions',
    help: 'Positions older than two days that are still rows.',
    of: sumOf('unpacked'),
  },
  {
    name: 'fleetgate_unpacked_bytes',
    help: 'Bytes of the fixes and fold states of these rows.',
    of: sumOf('unpackedBytes'),
  },
  {
    name: 'fleetgate_packing_failures',
    help: 'Objects that the last pass of packing could not pack.',
    of: ({ failures }) => failures,
  },
  {
    name: 'fleetgate_packing_seconds',
    help: 'Seconds that the last pass of packing took.',
    of: ({ durationUs }) => durationUs / 1_000_000,
  },
  {
    name: 'fleetgate_packing_ended_timestamp_seconds',
    help: 'The time at which the last pass of packing ended, in seconds since the epoch.',
    of: ({ endedAt }) => endedAt / 1_000,
  },
]

function sumOf(count: keyof PackingCounts): (pass: PackingPass) => number {
  return ({ counts }) => counts.values().reduce((sum, each) => sum + each[count], 0)
}

/**
 * The series of the packing of positions, as of the end of its last pass: a scrape reads nothing. There are none before the first
 * one. Each process that packs counts the positions of all, so several of them show the most.
 */
export function packingSeries(registry: Registry): (pass: PackingPass) => void {
  let shown: { gauge: Gauge; of(pass: PackingPass): number }[] = []
  return (pass) => {
    if (shown.length === 0) {
      shown = SERIES.map(({ of, ...named }) => {
        return { of, gauge: new Gauge({ ...named, registers: [registry], aggregator: 'max' }) }
      })
    }
    for (const { gauge, of } of shown) gauge.set(of(pass))
  }
}
