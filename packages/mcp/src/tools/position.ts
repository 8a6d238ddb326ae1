import type { LatestPosition } from '@fleetgate/client'
import type { Vehicles } from '../fleets.ts'
import { namedOf, silence } from '../vehicles.ts'
import type { Question } from './tool.ts'

/** A row of the answer: where a vehicle was, and whether it was silent as of a moment. */
export function positionRow(
  row: LatestPosition,
  vehicles: Vehicles,
  question: Question,
  at: number,
): object {
  const { id, name, time_device, latitude, longitude, speed, angle: heading, address } = row
  return {
    ...namedOf(id, name, vehicles),
    position_at: question.times.shownOrNull(time_device),
    ...{ latitude, longitude, address, speed, heading },
    ...silence(row, question, at),
  }
}

/** For the descriptions of tools. */
export const POSITION_FIELDS =
  'position_at: when the position was taken. speed: in distance_unit per hour, at that time. heading: degrees clockwise from north. no_signal_since: only where the vehicle has been silent for longer than it may be; then nobody knows where it is now, say so. Null: unknown.'
