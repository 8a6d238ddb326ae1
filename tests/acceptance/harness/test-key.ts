import { clock, HANDED } from './clock.ts'
import { isEmbedded } from './deployment.ts'
import type { Fleet, FleetOrganization } from './fleet.ts'
import { scoped } from './scoped.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** The vehicle that is deleted in the last two of each ten minutes is there. */
const AFTER_MIDNIGHT_MS = 5 * MINUTE_MS

let passing: Promise<void> | undefined

/** Lets time pass until shortly after midnight: a server simulates a day up to its clock when it opens it. */
export function untilYoungDay(): Promise<void> {
  const untilMidnight = DAY_MS - (clock.now() % DAY_MS)
  passing ??= isEmbedded ? HANDED.pass(untilMidnight + AFTER_MIDNIGHT_MS) : Promise.resolve()
  return passing
}

/** The simulated fleet as the holder of a new test key sees it. */
export async function testKey(
  fleet: Pick<Fleet, 'json' | 'server'>,
  organization: FleetOrganization,
  scenario?: string,
): Promise<FleetOrganization & { keyId: number }> {
  await untilYoungDay()
  const chosen = scenario === undefined ? [] : ['--scenario', scenario]
  return scoped(fleet, organization, '--test', ...chosen)
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

/** The day before, as `2026-11-20`. */
export const yesterdaysDate = () => new Date(clock.now() - DAY_MS).toISOString().slice(0, 10)

/** The first 22 hours of yesterday, of which all packets have arrived, late ones too. */
export const HOURS = 22
export function yesterday(): string {
  const day = yesterdaysDate()
  return `from_time=${day}T00:00Z&to_time=${day}T21:59:59Z`
}
