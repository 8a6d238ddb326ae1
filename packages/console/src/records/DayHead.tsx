import { useEffect, useId, useRef } from 'react'
import { Link } from 'wouter'
import { useObject } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Icon } from '../ui/Icon.tsx'
import { useAddress } from '../ui/page/address.ts'
import { besideDay, type Day, dayOf, isDay } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'

type DayHeadProps = { organization: OrganizationSummary; object: number; day: Day; id: string }

/** Names the vehicle of the day, and leads to other days. `id`: of the heading. */
export function DayHead({ organization, object, day, id }: DayHeadProps) {
  const [, change] = useAddress()
  const heading = useRef<HTMLHeadingElement>(null)
  const unnamed = t('Vehicle {{id}}', { id: String(object) })
  const name = useObject(organization.id, object).data?.name ?? unnamed
  // The button that opened the day is gone, and the focus with it.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <header className="day-head">
      <h2 id={id} ref={heading} tabIndex={-1}>
        <Link href={`/organizations/${organization.id}/objects/${object}`}>{name}</Link>
      </h2>
      <button
        type="button"
        className="day-step"
        aria-label={t('Close the day')}
        onClick={() => change({ day: null, record: null })}
      >
        <Icon name="close" />
      </button>
      <DayPicker
        day={day}
        onDay={(next, options) => change({ day: next, record: null }, options)}
      />
    </header>
  )
}

type DayPickerProps = {
  day: Day
  /** `replace`: while a day is typed, which makes no entries in the history. */
  onDay(day: Day, options?: { replace: boolean }): void
}

function DayPicker({ day, onDay }: DayPickerProps) {
  const id = useId()
  const [utc] = useUtc()
  const today = dayOf(Date.now(), utc)
  return (
    <div className="day-picker">
      <button
        type="button"
        className="day-step"
        aria-label={t('Previous day')}
        onClick={() => onDay(besideDay(day, -1))}
      >
        ‹
      </button>
      <label htmlFor={id} className="visually-hidden">
        {t('Day')}
      </label>
      <input
        id={id}
        type="date"
        max={today}
        value={day}
        onChange={({ target }) => isDay(target.value) && onDay(target.value, { replace: true })}
      />
      <button
        type="button"
        className="day-step"
        aria-label={t('Next day')}
        disabled={day >= today}
        onClick={() => onDay(besideDay(day, 1))}
      >
        ›
      </button>
    </div>
  )
}
