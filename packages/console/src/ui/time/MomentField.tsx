import type { ComponentProps } from 'react'
import { t } from '../../language/text.ts'
import { TextField } from '../form/Field.tsx'
import { momentOf, momentText } from './moments.ts'
import { useUtc } from './time-zone.ts'

type MomentFieldProps = Omit<ComponentProps<typeof TextField>, 'value' | 'onChange' | 'help'> & {
  /** The millisecond of the chosen minute that is meant. */
  bound: 'first' | 'last'
  value: string | null
  /** The times that may be chosen, in milliseconds since the epoch. */
  range?: readonly [first: number, last: number]
  /** Null: the field is empty, or half typed. */
  onChange: (instant: string | null) => void
  /** More than in which time zone it is. */
  help?: string
}

/** A field for a moment, in the viewer's time zone, or in UTC if chosen. */
export function MomentField(props: MomentFieldProps) {
  const { bound, range, value, onChange, help, ...field } = props
  const [utc] = useUtc()
  const [min, max] = range?.map((time) => momentText(time, utc)) ?? []
  const zone = utc ? t('The time in UTC.') : t('Your local time.')
  return (
    <TextField
      {...field}
      min={min}
      max={max}
      type="datetime-local"
      value={value === null ? '' : momentText(value, utc)}
      onChange={(text) => onChange(momentOf(text, bound, utc))}
      help={help === undefined ? zone : `${zone} ${help}`}
    />
  )
}
