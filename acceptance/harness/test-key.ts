import type { Fleet, FleetOrganization } from './fleet.ts'
import { scoped } from './scoped.ts'

/** The simulated fleet as the holder of a new test key sees it. */
export function testKey(
  fleet: Pick<Fleet, 'json' | 'server'>,
  organization: FleetOrganization,
  scenario?: string,
): Promise<FleetOrganization & { keyId: number }> {
  return scoped(
    fleet,
    organization,
    '--test',
    ...(scenario === undefined ? [] : ['--scenario', scenario]),
  )
}

/** The ids of the simulated objects. */
export const SIMULATED = {
  frequent: 1,
  second: 2,
  silent: 3,
  late: 4,
  gap: 5,
  corrected: 6,
  comesBack: 7,
} as const

const DAY_MS = 86_400_000

/** The first 22 hours of yesterday, of which all packets have arrived, late ones too. */
export const HOURS = 22
export function yesterday(): string {
  const day = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)
  return `from_time=${day}T00:00Z&to_time=${day}T21:59:59Z`
}
