import type { Map as MapLibre } from 'maplibre-gl'
import { useEffect, useRef, useState } from 'react'
import { PALETTES } from '../base/palette.ts'
import { useTheme } from '../base/theme.ts'
import { type Seen, sameSeen, seenOf } from '../fleet/seen.ts'
import { type LiveFleet, openLiveFleet } from './live-fleet.ts'

export function useLiveFleet(
  map: MapLibre | undefined,
  organization: number,
): LiveFleet | undefined {
  const theme = useTheme()
  const [live, setLive] = useState<LiveFleet>()
  const latestTheme = useRef(theme)
  latestTheme.current = theme

  useEffect(() => {
    if (map === undefined) return
    const opened = openLiveFleet(map, organization, PALETTES[latestTheme.current])
    setLive(opened)
    return () => {
      setLive(undefined)
      opened.close()
    }
  }, [map, organization])

  useEffect(() => live?.drawn.setPalette(PALETTES[theme]), [live, theme])

  return live
}

/** Reads from the live fleet at most every `everyMs`, so that React does not render for each packet. */
export function useFromLive<Value>(
  live: LiveFleet | undefined,
  everyMs: number,
  read: (live: LiveFleet) => Value,
  same: (one: Value, other: Value) => boolean = Object.is,
): Value | undefined {
  const [value, setValue] = useState<Value>()
  const latest = useRef(read)
  latest.current = read

  useEffect(() => {
    if (live === undefined) {
      setValue(undefined)
      return
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer = undefined
      const next = latest.current(live)
      setValue((before) => (before !== undefined && same(before, next) ? before : next))
    }
    look()
    const stop = live.onChange(() => {
      timer ??= setTimeout(look, everyMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [live, everyMs, same])

  return value
}

/** A vehicle as its newest position has it. Undefined: nothing is known yet. Null: it has no position. */
export function useSeen(
  live: LiveFleet | undefined,
  everyMs: number,
  id: number,
): Seen | null | undefined {
  return useFromLive(
    live,
    everyMs,
    ({ fleet, hasAll }) => seenOf(fleet, id) ?? (hasAll() ? null : undefined),
    sameSeen,
  )
}
