import type { Map as MapLibre } from 'maplibre-gl'
import { useCallback, useEffect, useId, useMemo, useState } from 'react'
import { t } from '../../language/text.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { Changing } from '../../ui/changing.tsx'
import { count } from '../../ui/format.ts'
import { useUtc } from '../../ui/time/time-zone.ts'
import { played } from './played.ts'
import { momentText, TrackChart } from './TrackChart.tsx'
import { atMoment, continuedTrack, speedBounds } from './track.ts'
import { usePlaying } from './use-playing.ts'
import { type TrackLayers, useTrackLayers } from './use-track-layers.ts'

type Props = Pick<TrackLayers, 'track' | 'records' | 'chosen' | 'onChoose'> & {
  unit: 'km' | 'mi'
  map: MapLibre | undefined
  /** The page that deletes the position of a moment. */
  deletionOf(time: number): string
}

/** Replay speeds: seconds of the day in one second. */
const PACES = [10, 60, 300, 1_200]
/** A replay takes no longer than this, unless a slower pace is chosen. */
const REPLAY_MS = 90_000

/** The slider, the chart and the map show the same moment: of the chosen trip or stop, or else of the day. */
export function TrackPlayer(props: Props) {
  const { track: given, records, chosen, onChoose, unit, map, deletionOf } = props
  const [utc] = useUtc()
  const track = useMemo(() => continuedTrack(given), [given])
  const { points } = track
  const record = records.find(({ key }) => key === chosen)
  const { first, last, start, around } = useMemo(() => played(points, record), [points, record])
  const [time, setTime] = useState(start)
  const [chosenPace, setPace] = useState<number>()
  const pace = chosenPace ?? PACES.find((each) => (last - first) / each <= REPLAY_MS) ?? 1_200
  const advance = useCallback(
    (milliseconds: number) => setTime((now) => Math.min(last, now + milliseconds * pace)),
    [last, pace],
  )
  const { playing, setPlaying } = usePlaying(advance, time >= last)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a record that grows does not start again
  useEffect(() => {
    setPlaying(false)
    setTime(start)
  }, [record?.key])
  const bounds = useMemo(() => speedBounds(unit), [unit])
  const moment = atMoment(points, time)
  useTrackLayers(map, { track, records, chosen, onChoose, bounds, moment })

  function go(to: number): void {
    setPlaying(false)
    setTime(Math.max(first, Math.min(last, to)))
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
          first={first}
          last={last}
          time={time}
          caption={momentText(track, undefined, unit, time, utc)}
          onTime={go}
        />
        <PaceSelect pace={pace} onPace={setPace} />
      </div>
      <TrackChart
        track={track}
        records={records}
        unit={unit}
        range={around}
        time={time}
        onTime={go}
      >
        {moment !== undefined && (
          <Changing>
            <ButtonLink small look="remove" to={deletionOf(moment.point[0])}>
              {t('Delete position…')}
            </ButtonLink>
          </Changing>
        )}
      </TrackChart>
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
  first: number
  last: number
  time: number
  caption: string
  onTime(time: number): void
}

function TimeSlider({ first, last, time, caption, onTime }: TimeSliderProps) {
  const id = useId()
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
        {t('Replay speed')}
      </label>
      <select id={id} value={pace} onChange={(event) => onPace(Number(event.target.value))}>
        {PACES.map((each) => (
          <option key={each} value={each}>
            {count(each)}×
          </option>
        ))}
      </select>
    </>
  )
}
