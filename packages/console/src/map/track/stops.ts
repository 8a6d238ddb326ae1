import type { Stop } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import { duration } from '../../ui/time/duration.ts'

/** How long a stop lasted: until the object moved on, or as far as known. */
export function stopLabel(stop: Pick<Stop, 'duration' | 'open'>): string {
  const long = duration(stop.duration * 1_000)
  return stop.open ? t('{{long}} so far', { long }) : long
}

/** Whether the engine ran for most of a stop. */
export function isIdle(stop: Pick<Stop, 'duration' | 'idle_time'>): boolean {
  return stop.idle_time * 2 > stop.duration
}
