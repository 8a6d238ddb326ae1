import { Fleetgate } from '@fleetgate/client'

/** The client of a key. */
export type Fleets = (apiKey: string) => Fleetgate

/** Keys whose clients are kept. Each client keeps its calls within the rate window of its organization. */
const MAX_CLIENTS = 1_000
/** A model waits for an answer, so a call that the window refuses for long fails. */
const MAX_WAIT_MS = 20_000

export function fleetsOf(baseUrl: string): Fleets {
  const known = new Map<string, Fleetgate>()

  return (apiKey) => {
    const fleet = known.get(apiKey) ?? new Fleetgate({ baseUrl, apiKey, maxWaitMs: MAX_WAIT_MS })
    // The last used one is the last in the map.
    known.delete(apiKey)
    known.set(apiKey, fleet)
    const [oldest] = known.keys()
    if (known.size > MAX_CLIENTS) known.delete(oldest!)
    return fleet
  }
}
