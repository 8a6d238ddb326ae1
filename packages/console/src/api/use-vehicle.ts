import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useObject } from './queries.ts'

/** How often the page of a vehicle asks for its state. */
const LIVE_MS = 5_000
/** How often it asks for the rest, if packets come. */
const REST_MS = 15_000

/**
 * A vehicle whose page is open. Its state is asked for every few seconds. Its attributes, rejects and diagnosis are
 * asked for again when a packet has come or its motion has changed.
 */
export function useVehicle(organization: number, id: number) {
  const object = useObject(organization, id, { everyMs: LIVE_MS })
  const client = useQueryClient()
  const { time_server: time, motion } = object.data ?? {}
  const asked = useRef<{ state: string; at: number }>(undefined)
  useEffect(() => {
    if (time === undefined) return
    const state = `${id} ${time} ${motion}`
    // The page has just loaded everything.
    asked.current ??= { state, at: Date.now() }
    const { at } = asked.current
    if (asked.current.state === state) return
    const timer = setTimeout(
      () => {
        asked.current = { state, at: Date.now() }
        void client.invalidateQueries({
          queryKey: ['organization', organization, 'object', id],
          predicate: ({ queryKey }) => queryKey.length > 4,
        })
      },
      at + REST_MS - Date.now(),
    )
    return () => clearTimeout(timer)
  }, [client, organization, id, time, motion])
  return object
}
