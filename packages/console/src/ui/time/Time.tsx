import { t } from '../../language/text.ts'
import { ago, type TimeDetail, timeOf } from '../format.ts'
import { useNow } from './clock.ts'
import { useUtc } from './time-zone.ts'
import '../Time.css'

type TimeProps = {
  value: string | null
  /** `ago` shows how long ago it was. */
  as?: TimeDetail | 'ago'
  /** The text without a time. */
  none?: string
  /** In long tables the keyboard skips it. */
  quiet?: boolean
}

/** An instant in the viewer's time zone. UTC on hover or focus, or if chosen for all times. */
export function Time({ value, as = 'minute', none = t('Never'), quiet = false }: TimeProps) {
  const [utc] = useUtc()
  if (value === null) return <span className="soft">{none}</span>
  const other = timeOf(value, 'second', !utc || as === 'ago')
  const exact = as === 'ago' ? `${timeOf(value, 'second', utc)}${utc ? '' : ` · ${other}`}` : other
  return (
    <time
      className="time"
      dateTime={value}
      title={exact}
      data-exact={exact}
      tabIndex={quiet ? undefined : 0}
    >
      {as === 'ago' ? <Ago value={value} /> : timeOf(value, as, utc)}
    </time>
  )
}

/** A component of its own, so that the clock's tick renders nothing else. */
function Ago({ value }: { value: string }) {
  return ago(value, useNow())
}
