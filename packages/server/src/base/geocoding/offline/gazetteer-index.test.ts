import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type GazetteerPlace, openPlaceIndex, packPlaces } from './gazetteer-index.ts'

const latitude = fc.double({ min: -90, max: 90, noNaN: true })
const longitude = fc.double({ min: -180, max: 180, noNaN: true })
const place: fc.Arbitrary<GazetteerPlace> = fc.record({
  name: fc.string({ unit: 'grapheme', minLength: 1 }),
  region: fc.option(fc.constantFrom('Texas', 'Île-de-France')),
  country: fc.constantFrom('US', 'FR'),
  latitude,
  longitude,
})

describe('The place index', () => {
  it('finds the nearest place, everywhere on the globe', () => {
    fc.assert(
      fc.property(
        fc.array(place, { minLength: 1, maxLength: 300 }),
        latitude,
        longitude,
        fc.constantFrom(100, 2_000, 20_015),
        (places, atLatitude, atLongitude, maximumKm) => {
          const near = openPlaceIndex(packPlaces(places))(atLatitude, atLongitude, maximumKm)
          const nearestKm = Math.min(
            ...places.map((each) => angleBetween(each, atLatitude, atLongitude) * 6371),
          )
          if (near === null) {
            assert.ok(nearestKm > maximumKm - 1e-3, `none was found, one is ${nearestKm} km away`)
          } else {
            assert.ok(Math.abs(near.distanceKm - nearestKm) < 1e-3)
            assert.ok(nearestKm < maximumKm + 1e-3)
            assert.ok(places.some((each) => isSame(each, near.place)))
          }
        },
      ),
    )
  })

  it('finds nothing without places', () => {
    assert.equal(openPlaceIndex(packPlaces([]))(0, 0, 20_015), null)
  })
})

/** The chord between two unit vectors: a different formula from that of the index. */
function angleBetween(a: GazetteerPlace, atLatitude: number, atLongitude: number): number {
  const [from, to] = [vector(a.latitude, a.longitude), vector(atLatitude, atLongitude)]
  const chord = Math.hypot(...from.map((value, axis) => value - to[axis]!))
  return 2 * Math.asin(Math.min(1, chord / 2))
}

function vector(atLatitude: number, atLongitude: number): number[] {
  const [north, east] = [(atLatitude * Math.PI) / 180, (atLongitude * Math.PI) / 180]
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)]
}

function isSame(a: GazetteerPlace, b: GazetteerPlace): boolean {
  return (
    a.name.toWellFormed() === b.name &&
    a.region === b.region &&
    a.country === b.country &&
    a.latitude === b.latitude &&
    a.longitude === b.longitude
  )
}
