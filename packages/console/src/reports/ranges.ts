import { t } from '../language/text.ts'
import { besideDay, type Day } from '../ui/time/days.ts'

export type Range = { from: Day; to: Day }

/** The ranges that people ask for, by the words of the trade. Weeks begin on Monday. */
export const RANGES: Record<string, { name: string; of(today: Day): Range }> = {
  yesterday: {
    name: t('Yesterday'),
    of: (today) => ({ from: besideDay(today, -1), to: besideDay(today, -1) }),
  },
  'last-week': {
    name: t('Last week'),
    of(today) {
      const monday = besideDay(today, -weekdayOf(today))
      return { from: besideDay(monday, -7), to: besideDay(monday, -1) }
    },
  },
  'last-month': {
    name: t('Last month'),
    of(today) {
      const to = besideDay(`${today.slice(0, 7)}-01`, -1)
      return { from: `${to.slice(0, 7)}-01`, to }
    },
  },
}

/** Days since Monday. */
function weekdayOf(day: Day): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
}
