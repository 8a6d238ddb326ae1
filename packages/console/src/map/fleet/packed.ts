import { mercatorX, mercatorY } from '../base/mercator.ts'
import { type LiveObject, motionCode } from '../base/motion.ts'

/**
 * Live objects as an array of numbers: id, x, y, heading, speed, motion, time. The worker parses them and
 * passes the array to the page without copying.
 */
export type Packed = Float64Array<ArrayBuffer>

export const PACKED_COLUMNS = 7

/** The value of an unknown heading or speed. */
export const NONE = Number.NaN

export function pack(items: LiveObject[]): Packed {
  const packed = new Float64Array(items.length * PACKED_COLUMNS)
  let at = 0
  for (const [id, longitude, latitude, heading, speed, motion, time] of items) {
    packed[at] = id
    packed[at + 1] = mercatorX(longitude)
    packed[at + 2] = mercatorY(latitude)
    packed[at + 3] = heading ?? NONE
    packed[at + 4] = speed ?? NONE
    packed[at + 5] = motionCode(motion)
    packed[at + 6] = time
    at += PACKED_COLUMNS
  }
  return packed
}
