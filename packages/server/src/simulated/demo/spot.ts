import { between, type Point } from './plane.ts'
import { STRETCHES, type Stretch } from './street-network.ts'

/** A place at the kerb, with its address. */
export type Spot = {
  stretch: Stretch
  /** Metres from the beginning of the stretch. */
  at: number
  point: Point
  address: string
}

/** The spot in front of a house, by its address. */
export function spotAt(street: string, number: number): Spot {
  for (const stretch of STRETCHES) {
    if (stretch.street.name !== street) continue
    const { firstNumber, metresPerNumber } = stretch.street
    const line = (number - (firstNumber ?? 0)) * metresPerNumber
    const part = (line - stretch.lineFrom) / (stretch.lineTo - stretch.lineFrom)
    if (part >= 0 && part <= 1) return spotOn(stretch, part * stretch.length, number)
  }
  throw new RangeError(`${street} has no number ${number}`)
}

/** The spot at this many metres into a stretch. */
export function spotOn(stretch: Stretch, at: number, number?: number): Spot {
  return {
    stretch,
    at,
    point: between(stretch.from, stretch.to, at / stretch.length),
    address: number === undefined ? addressAt(stretch, at) : written(stretch, number),
  }
}

/** The address at this many metres into a stretch: odd numbers one way, even numbers the other. */
export function addressAt(stretch: Stretch, at: number): string {
  const { firstNumber, metresPerNumber } = stretch.street
  if (firstNumber === null) return `${stretch.street.name}, Barcelona`
  const line =
    stretch.lineFrom + ((stretch.lineTo - stretch.lineFrom) * at) / Math.max(stretch.length, 1)
  const pair = Math.floor((firstNumber + line / metresPerNumber) / 2) * 2
  return written(stretch, Math.max(1, stretch.forward ? pair + 1 : pair))
}

function written({ street }: Stretch, number: number): string {
  return `${street.name}, ${number}, Barcelona`
}
