import { dayTotals } from './day-totals.ts'
import { findVehicles } from './find-vehicles.ts'
import type { Tool } from './tool.ts'
import { tripsAndStops } from './trips-and-stops.ts'
import { usage } from './usage.ts'
import { vehiclesNear } from './vehicles-near.ts'
import { whereIs } from './where-is.ts'
import { whoWasAt } from './who-was-at.ts'

export const TOOLS: readonly Tool[] = [
  findVehicles,
  whereIs,
  vehiclesNear,
  tripsAndStops,
  dayTotals,
  whoWasAt,
  usage,
]
