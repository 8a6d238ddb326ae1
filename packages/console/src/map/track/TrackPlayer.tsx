import type { Map as MapLibre } from 'maplibre-gl'
import { useCallback, useId, useMemo, useState } from 'react'
import type { Stop } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import { clockTime } from '../../ui/format.ts'
import { useUtc } from '../../ui/time/time-zone.ts'
import { isIdle, stopLabel, stopsOf } from './stops.ts'
import { momentText, TrackChart } from './TrackChart.tsx'
import { atMoment, speedBounds } from './track.ts'
import { usePlaying } from './use-playing.ts'
import { type TrackLayers, useTrackLayers } from './use-track-layers.ts'

type Props = Pick<TrackLayers, 'track' | 'records' | 'chosen' | 'onChoose'> & {
  unit: 'km' | 'mi'
  map: MapLibre | undefined
}

/** Replay speeds: seconds of the day in one second. */
const PACES = [60, 300, 1200]

/** The slider, the chart and the map show the same moment of the day. */
export function TrackPlayer({ track, records, chosen, onChoose, unit, map }: Props) {
  const id = useId()
  const [utc] = useUtc()
  const { points } = track
  const first = points[0]![0]
  const last = points.at(-1)![0]
  const [time, setTime] = useState(first)
  const [pace, setPace] = useState(PACES[1]!)
  const advance = useCallback(
    (milliseconds: number) => setTime((now) => Math.min(last, now + milliseconds * pace)),
    [last, pace],
  )
  const { playing, setPlaying } = usePlaying(advance, time >= last)
  const bounds = useMemo(() => speedBounds(unit), [unit])
  const moment = atMoment(points, time)
  const stops = useMemo(() => stopsOf(records), [records])
  useTrackLayers(map, { track, records, chosen, onChoose, bounds, moment })
  const caption = momentText(track, undefined, unit, time, utc)

  function go(to: number): void {
    setPlaying(false)
    setTime(to)
  }

  return (
    <>
      <div className="fleetmap-player">
        <PlayButton
          playing={playing}
          onPress={() => {
            if (!playing && time >= last) setTime(first)
            setPlaying(!playing)
          }}
        />
        <TimeSlider
          id={`${id}-time`}
          first={first}
          last={last}
          time={time}
          caption={caption}
          onTime={go}
        />
        <PaceSelect pace={pace} onPace={setPace} />
        <Stops stops={stops} onTime={(time) => go(Math.max(time, first))} />
      </div>
      <TrackChart track={track} records={records} unit={unit} time={time} onTime={go} />
    </>
  )
}

function PlayButton({ playing, onPress }: { playing: boolean; onPress: () => void }) {
  return (
    <button
      type="button"
      className="fleetmap-play"
      aria-label={playing ? t('Pause') : t('Play')}
      onClick={onPress}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={playing ? 'M3 2h4v12H3zM9 2h4v12H9z' : 'M4 2 14 8 4 14Z'} fill="currentColor" />
      </svg>
    </button>
  )
}

type TimeSliderProps = {
  id: string
  first: number
  last: number
  time: number
  caption: string
  onTime(time: number): void
}

function TimeSlider({ id, first, last, time, caption, onTime }: TimeSliderProps) {
  return (
    <>
      <label htmlFor={id} className="fleetmap-hidden">
        {t('Time of day')}
      </label>
      <input
        id={id}
        type="range"
        min={first}
        max={last}
        step={1_000}
        value={time}
        aria-valuetext={caption}
        onChange={(event) => onTime(Number(event.target.value))}
        // By default an arrow key moves by a second, and a day has 86,400 of them.
        onKeyDown={(event) => {
          const step = {
            ArrowLeft: -60_000,
            ArrowDown: -60_000,
            ArrowRight: 60_000,
            ArrowUp: 60_000,
          }[event.key]
          if (step === undefined) return
          event.preventDefault()
          onTime(Math.max(first, Math.min(last, time + step)))
        }}
      />
    </>
  )
}

function PaceSelect({ pace, onPace }: { pace: number; onPace: (pace: number) => void }) {
  const id = useId()
  return (
    <>
      <label htmlFor={id} className="fleetmap-hidden">
        {t('Pace')}
      </label>
      <select id={id} value={pace} onChange={(event) => onPace(Number(event.target.value))}>
        {PACES.map((each) => (
          <option key={each} value={each}>
            {each / 60} min/s
          </option>
        ))}
      </select>
    </>
  )
}

type StopsProps = { stops: Stop[]; onTime(time: number): void }

/** Goes to a stop of the day. */
function Stops({ stops, onTime }: StopsProps) {
  const [utc] = useUtc()
  if (stops.length === 0) return <span>{t('No stops')}</span>
  return (
    <select
      aria-label={t('Go to a stop')}
      // It shows how many stops there are, whichever was gone to.
      value=""
      onChange={({ target }) => onTime(Date.parse(target.value))}
    >
      <option value="" disabled hidden>
        {t('{{count, number}} stops', { count: stops.length })}
      </option>
      {stops.map((stop) => (
        <option key={stop.id} value={stop.start_time}>
          {clockTime(stop.start_time, 'second', utc)} · {stopLabel(stop)} ·{' '}
          {isIdle(stop) ? t('engine running') : t('engine off')}
        </option>
      ))}
    </select>
  )
}
