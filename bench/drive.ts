import { bareFix, type Fix } from '../packages/server/src/base/domain/position/fix.ts'
import { systemClock } from '../packages/server/src/base/domain/time/time.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { foldRules } from '../packages/server/src/engine/tracking/rules/advance.ts'
import { addTenants, type Tenant } from './tenants.ts'

/** 2026-06-01T00:00:00Z; one fix each second from then on. */
export const DRIVE_START = Date.UTC(2026, 5, 1)
const STEP_MS = 1000
const BATCH = 5000
/** Parallel writers: each waits for the disk. */
const AT_ONCE = 10

/** The time of the last of `rows` fixes. */
export function driveEnd(rows: number): number {
  return DRIVE_START + (rows - 1) * STEP_MS
}

/** Stores `rows` fixes of the tenant's object. */
export async function addDrive(store: Store, tenant: Tenant, rows: number): Promise<void> {
  for (let from = 0; from < rows; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, rows - from) }, (_, i) => ({
      object: tenant.object,
      fix: driveFix(from + i),
    }))
    const outcomes = await store.positions.append(
      tenant.organization,
      batch,
      foldRules(systemClock),
    )
    if (outcomes.some((outcome) => outcome !== 'accepted')) throw new Error('a fix was refused')
  }
}

/** Adds organizations whose objects have drives of this length. */
export async function addDrivers(store: Store, count: number, rows: number): Promise<Tenant[]> {
  const added = Array.from({ length: AT_ONCE }, async (_, writer) => {
    const share = Math.floor((count + writer) / AT_ONCE)
    const tenants = await addTenants(store, share)
    for (const tenant of tenants) await addDrive(store, tenant, rows)
    return tenants
  })
  return (await Promise.all(added)).flat()
}

/**
 * Second `i` of an endless drive around a town. Values have as many decimals as a receiver sends and an answer
 * shows. One fix in ten has an address of its own.
 */
export function driveFix(i: number): Fix {
  const time = DRIVE_START + i * STEP_MS
  const turn = i / 600
  return {
    ...bareFix(time, time + 400, decimals(30.2672 + Math.sin(turn) / 20, 7), 0),
    longitude: decimals(-97.7431 + Math.cos(turn) / 20, 7),
    altitude: decimals(160 + 20 * Math.sin(turn * 3), 1),
    angle: decimals(((turn * 180) / Math.PI) % 360, 1),
    speed: decimals(45 + 40 * Math.sin(turn * 7), 2),
    engineHours: decimals(1200 + i / 3600, 3),
    odometer: decimals(84_000 + i / 80, 2),
    hdop: 0.9,
    gpsLevel: 11,
    ignition: true,
    address: i % 10 === 0 ? `${100 + (i % 900)} Congress Avenue, Austin, TX 78701` : null,
  }
}

function decimals(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
