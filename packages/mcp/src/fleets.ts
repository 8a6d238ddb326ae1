import { Fleetgate, type FleetObject, type Key } from '@fleetgate/client'
import { kept } from './kept.ts'

/** The fleet of a key, as the tools ask for it. */
export type Fleet = {
  readonly api: Fleetgate
  /** A vehicle has no signal if its last one is older, in milliseconds. */
  readonly maximumGapMs: number
  /** The vehicles by id, at most a minute old, or as of now. Rejects if the key does not open `/objects`. */
  vehicles(isFresh?: boolean): Promise<Vehicles>
  /** The organization of the key, at most a minute old. */
  organization(): Promise<Key['organization']>
}

export type Vehicles = ReadonlyMap<number, FleetObject>

/** The fleet of a key. */
export type Fleets = (apiKey: string) => Fleet

/** Keys whose fleets are kept. Each keeps its calls within the rate window of its organization. */
const MAX_FLEETS = 1_000
/** A model waits for an answer, so a call that the window refuses for long fails. */
const MAX_WAIT_MS = 20_000
/** Names, plates and the time zone hardly change, and the window allows few requests. */
const KEPT_MS = 60_000

export function fleetsOf(baseUrl: string, maximumGapMs: number): Fleets {
  const known = new Map<string, Fleet>()

  return (apiKey) => {
    const fleet = known.get(apiKey) ?? fleetOf(baseUrl, apiKey, maximumGapMs)
    // The last used one is the last in the map.
    known.delete(apiKey)
    known.set(apiKey, fleet)
    const [oldest] = known.keys()
    if (known.size > MAX_FLEETS) known.delete(oldest!)
    return fleet
  }
}

function fleetOf(baseUrl: string, apiKey: string, maximumGapMs: number): Fleet {
  const api = new Fleetgate({ baseUrl, apiKey, maxWaitMs: MAX_WAIT_MS })
  const vehicles = kept(KEPT_MS, async () => {
    const listed = await api.objects.list()
    return new Map(listed.map((vehicle) => [vehicle.id, vehicle]))
  })
  const key = kept(KEPT_MS, () => api.key())
  return {
    ...{ api, maximumGapMs, vehicles },
    organization: async () => (await key()).organization,
  }
}
