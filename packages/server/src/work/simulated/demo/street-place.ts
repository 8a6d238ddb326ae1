import type { RecordedStreet } from './recording.ts'

/** The length of a degree in the city of the demo. */
export const METRES_PER_DEGREE = { longitude: 83_640, latitude: 111_080 }

/** The place at this many meters along the line of a street, `aside` meters to the right of the vehicle's direction. */
export function placeOn(
  { line }: RecordedStreet,
  metre: number,
  isForward: boolean,
  aside: number,
) {
  const corner = line.findLastIndex(([, , , at]) => at <= metre)
  const from = Math.min(Math.max(corner, 0), line.length - 2)
  const [a, b] = [line[from]!, line[from + 1]!]
  const part = (metre - a[3]) / (b[3] - a[3])
  const within = (axis: 0 | 1 | 2) => a[axis] + (b[axis] - a[axis]) * part
  const [longitude, latitude, altitude] = [within(0), within(1), within(2)]
  const direction = isForward ? 1 : -1
  const east = direction * (b[0] - a[0]) * METRES_PER_DEGREE.longitude
  const north = direction * (b[1] - a[1]) * METRES_PER_DEGREE.latitude
  const right = aside / Math.hypot(east, north)
  return {
    longitude: rounded(longitude + (right * north) / METRES_PER_DEGREE.longitude, 1e7),
    latitude: rounded(latitude - (right * east) / METRES_PER_DEGREE.latitude, 1e7),
    altitude: rounded(altitude, 10),
    angle: (Math.round((Math.atan2(east, north) * 180) / Math.PI) + 360) % 360,
  }
}

/** The address at this many meters along the line of a street: odd numbers one way, even numbers the other. */
export function addressOn(street: RecordedStreet, metre: number, isForward: boolean): string {
  const { name, firstNumber, metresPerNumber } = street
  if (firstNumber === null) return `${name}, Barcelona`
  const number = firstNumber + metre / metresPerNumber
  const side = isForward ? 1 : 2
  return `${name}, ${Math.max(0, Math.round((number - side) / 2)) * 2 + side}, Barcelona`
}

/** A value to the next part: 10 keeps one decimal. */
export function rounded(value: number, parts: number): number {
  return Math.round(value * parts) / parts
}
