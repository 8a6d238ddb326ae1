import type { LatestPosition } from '@fleetgate/client'

/** The fields of a position that tell where a vehicle is. */
export function placeOf(row: LatestPosition) {
  const { id, name, time_device: at, latitude, longitude, speed, angle, address } = row
  return { id, name, at, latitude, longitude, speed, angle, address }
}
