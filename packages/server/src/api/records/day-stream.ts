import { clientGone } from '../../http/connections/client-gone.ts'
import type { ObjectDay } from '../../journeys/days/object-day.ts'
import { type DaysSelection, readDays } from '../../journeys/days/read-days.ts'
import type { Call } from '../operation.ts'
import { viewOf } from '../whole/view-of.ts'

export type DaysRange = Pick<DaysSelection, 'days' | 'from' | 'until' | 'keptFrom'>

/** The reads of a whole answer. */
export type DaysReading = DaysRange & Pick<DaysSelection, 'attributes'> & { readonly call: Call }

/** Those of the objects that have a day: any stored position, hidden ones too. */
export async function withDays(
  { call, from, until }: DaysReading,
  objects: readonly number[],
): Promise<number[]> {
  if (from >= until) return []
  const wanted = objects.map((object) => ({ object, from, to: until - 1 }))
  const found = await viewOf(call, (view) => view.newestIn(wanted))
  return found.map(({ object }) => object)
}

/** The days of an object, as of one moment. They are computed when it is the turn of the organization. */
export function daysOfOne({ call, ...range }: DaysReading, object: number): Promise<ObjectDay[]> {
  const { api, organization, request } = call
  const all = { ...range, objects: [object], after: null, limit: Number.MAX_SAFE_INTEGER }
  return api.reportLine(
    organization.id,
    async () => {
      const { days } = await viewOf(call, (view) => readDays(view, all, Number.MAX_SAFE_INTEGER))
      return [...days]
    },
    clientGone(request.connection),
  )
}

/** The days of these objects, object by object. No view waits for the client. */
export async function* daysOfAll(
  reading: DaysReading,
  objects: readonly number[],
): AsyncGenerator<ObjectDay[]> {
  const { api, key } = reading.call
  for (const object of objects) {
    const days = await daysOfOne(reading, object)
    api.disclosures.rows(key, 'records', object, days.length)
    yield days
  }
}
