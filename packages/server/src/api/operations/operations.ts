import type { Operation } from '../operation.ts'
import { fleetPositions } from './fleet-positions.ts'
import { getAdherence } from './get-adherence.ts'
import { getKey } from './get-key.ts'
import { getObject } from './get-object.ts'
import { getUsage } from './get-usage.ts'
import { latestPositions } from './latest-positions.ts'
import { listListed } from './list-all.ts'
import { listAttributes } from './list-attributes.ts'
import { listChanges } from './list-changes.ts'
import { listCoverage } from './list-coverage.ts'
import { listDays } from './list-days.ts'
import { listObjects } from './list-objects.ts'
import { listPositions } from './list-positions.ts'
import { listStops, listTrips, listVisits } from './list-records.ts'
import { ping } from './ping.ts'
import { positionsAt } from './positions-at.ts'

/** Everything that the public API does, in the order of the description. */
export const OPERATIONS: readonly Operation[] = [
  listObjects,
  getObject,
  listPositions,
  latestPositions,
  positionsAt,
  fleetPositions,
  listChanges,
  listTrips,
  listStops,
  listVisits,
  listDays,
  listCoverage,
  listAttributes,
  ...listListed,
  getAdherence,
  getKey,
  getUsage,
  ping,
]
