import { useEffect, useState } from 'react'

/** While playing, calls `advance` in each frame with the time since the last one. */
export function usePlaying(
  advance: (milliseconds: number) => void,
  ended: boolean,
): { playing: boolean; setPlaying(playing: boolean): void } {
  const [wanted, setPlaying] = useState(false)
  const playing = wanted && !ended
  useEffect(() => {
    if (!playing) return
    let before: number | undefined
    let frame = requestAnimationFrame(function step(now) {
      advance(before === undefined ? 0 : now - before)
      before = now
      frame = requestAnimationFrame(step)
    })
    return () => cancelAnimationFrame(frame)
  }, [playing, advance])
  useEffect(() => {
    if (ended) setPlaying(false)
  }, [ended])
  return { playing, setPlaying }
}
