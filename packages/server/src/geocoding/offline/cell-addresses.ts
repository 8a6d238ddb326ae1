import type { Language } from '../../domain/organization.ts'
import type { AddressAt } from '../../domain/position/object-state.ts'
import { describePlace } from './describe-place.ts'
import type { PlaceIndex } from './place-index.ts'

/**
 * Positions in a cell share the address of its middle. A cell is 200 m wide, and places are kilometres
 * apart.
 */
const CELL_DEGREES = 200 / 111_195
const RADIANS = Math.PI / 180
/** More than the columns of a row. */
const COLUMNS = 2 ** 20
/** Farther from any place, a name would not help to find the position. */
const MAXIMUM_KM = 100
/** Cached cells: about 3 MB. */
const MAX_CELLS = 20_000

/** Addresses of positions. Fastest for consecutive positions, most of which lie in the same cell. */
export function openCellWalk(index: PlaceIndex, language: Language): AddressAt {
  /** Addresses found so far, by cell. */
  const found = new Map<number, string | null>()
  let row = Number.NaN
  let column = Number.NaN
  /** The factor by which a degree of longitude is shorter in this row. */
  let narrowing = 1
  let address: string | null = null

  function ofCell(): string | null {
    const key = row * COLUMNS + column
    const known = found.get(key)
    if (known !== undefined) return known
    const latitude = row * CELL_DEGREES
    const longitude = (column * CELL_DEGREES) / narrowing
    const near = index(latitude, longitude, MAXIMUM_KM)
    const described = near === null ? null : describePlace(near, latitude, longitude, language)
    if (found.size >= MAX_CELLS) found.clear()
    found.set(key, described)
    return described
  }

  return (latitude, longitude) => {
    const itsRow = Math.round(latitude / CELL_DEGREES)
    const isSameRow = itsRow === row
    if (!isSameRow) {
      row = itsRow
      narrowing = Math.max(Math.cos(row * CELL_DEGREES * RADIANS), 0.001)
    }
    const itsColumn = Math.round((longitude * narrowing) / CELL_DEGREES)
    if (isSameRow && itsColumn === column) return address
    column = itsColumn
    address = ofCell()
    return address
  }
}
