import type { Visit } from '@fleetgate/client'
import * as z from 'zod'
import { bySkip, fitted } from '../fitted.ts'
import type { Vehicles } from '../fleets.ts'
import { type Place, placesNamed } from '../places.ts'
import { runsOf } from '../rows.ts'
import { exhaustedPart, skippingExhausted } from '../skipping.ts'
import { type Stay, stayReader } from '../stays.ts'
import { namedOf, silence } from '../vehicles.ts'
import { clockOf, part, type Question, range, tool } from './tool.ts'

/** The most stays per vehicle, and the most places, that an answer lists. */
const MAX_LISTED = 5

export const whoWasAt = tool({
  name: 'who_was_at',
  title: 'Who was at a place',
  description: `The vehicles that were inside geofences and sites whose name contains a text, in a range of time; each vehicle once, by its first arrival. A geofence and a site with one name are one place. Case, spaces, punctuation and accents of the name do not matter. If a place has exactly this name, it is the only one; not_asked then names others that contain the text.
vehicles_count and stays_count cover the whole range, even if rows are left out. arrived, left: the first and last position inside, even outside the range. left null: still inside at its last position. seconds_inside: within the range. A vehicle has at most ${MAX_LISTED} stays in the answer; more_stays counts the others.
Charges 1 of the daily quota of each vehicle that was there; another call for the rest charges again.`,
  input: z.strictObject({
    place: z.string().min(1).max(100).describe('a part of the name of a geofence or site'),
    ...range,
    ...part,
  }),
  async answer(question, { place, from, to, limit, skip }) {
    const { fleet, times, now, signal } = question
    const span = times.span(from, to)
    const { places, others } = await placesNamed(place, question)
    const { read, exhausted } = await skippingExhausted((skipExhausted) => {
      const asked = { from: new Date(span.from), to: new Date(span.to), signal, skipExhausted }
      const visits = fleet.api.visits({ ...asked, ...idsOf(places) })
      return guestsOf(visits, stayReader(places, span))
    })
    const { guests, seen, stays } = read
    const vehicles = await fleet.vehicles(guests.some(({ isInside }) => isInside))
    const rows = guests.map((guest) => guestRow(guest, vehicles, question))
    const head = {
      ...clockOf(question),
      ...{ from: times.shown(span.from), to: times.shown(span.to) },
      places: places.slice(0, MAX_LISTED).map((place) => shownPlace(place, seen)),
      ...(places.length > MAX_LISTED && { more_places: places.length - MAX_LISTED }),
      ...(others.length > 0 && { not_asked: others.slice(0, MAX_LISTED) }),
      vehicles_count: guests.length,
      stays_count: stays,
      ...exhaustedPart(exhausted, now),
    }
    const rest = bySkip('ask for a shorter range, or write more of the name')
    return fitted(head, 'vehicles', rows, { skip, limit, rest })
  },
})

function idsOf(places: readonly Place[]): { geofences?: number[]; sites?: number[] } {
  const geofences = places.flatMap((place) => place.geofences.map(({ id }) => id))
  const sites = places.flatMap((place) => place.sites.map(({ id }) => id))
  return { ...(geofences.length > 0 && { geofences }), ...(sites.length > 0 && { sites }) }
}

/** A vehicle that was there, with its first stays. */
type Guest = {
  id: number
  name: string
  first: Stay[]
  more: number
  seconds: number
  isInside: boolean
}

type Guests = {
  /** By their first arrival. */
  guests: Guest[]
  /** How many vehicles were at each place. */
  seen: Map<string, number>
  stays: number
}

/** Reads the visits vehicle by vehicle, because a year of a fleet has millions of them. */
async function guestsOf(
  visits: AsyncIterable<Visit>,
  staysOf: ReturnType<typeof stayReader>,
): Promise<Guests> {
  const all: Guests = { guests: [], seen: new Map(), stays: 0 }
  for await (const own of runsOf(visits, ({ object_id }) => object_id)) {
    const [{ object_id: id, name }] = own as [Visit]
    const stays = staysOf(own)
    const first = stays.slice(0, MAX_LISTED)
    const seconds = stays.reduce((sum, stay) => sum + stay.seconds, 0)
    const isInside = stays.some(({ left }) => left === null)
    all.guests.push({ id, name, first, more: stays.length - first.length, seconds, isInside })
    all.stays += stays.length
    for (const place of new Set(stays.map((stay) => stay.place))) {
      all.seen.set(place, (all.seen.get(place) ?? 0) + 1)
    }
  }
  all.guests.sort((a, b) => a.first[0]!.arrived - b.first[0]!.arrived)
  return all
}

function guestRow(
  { id, name, first, more, seconds, isInside }: Guest,
  vehicles: Vehicles,
  question: Question,
): object {
  const vehicle = vehicles.get(id)
  return {
    ...namedOf(id, name, vehicles),
    seconds_inside: seconds,
    stays: first.map((stay) => shownStay(stay, question)),
    ...(more > 0 && { more_stays: more }),
    ...(isInside && vehicle !== undefined ? silence(vehicle, question, question.now) : {}),
  }
}

function shownPlace({ name, geofences, sites }: Place, seen: ReadonlyMap<string, number>): object {
  const bare = sites.filter(({ radius }) => radius === null).length
  const counts = { geofences: geofences.length, sites: sites.length }
  return {
    ...{ name, ...counts, vehicles: seen.get(name) ?? 0 },
    ...(bare > 0 && {
      note: `${bare} of its sites have no radius, so no vehicle is ever inside them.`,
    }),
  }
}

function shownStay({ place, arrived, left }: Stay, { times }: Question): object {
  return { place, arrived: times.shown(arrived), left: left === null ? null : times.shown(left) }
}
