/** Times as people read them: in the zone of who looks, with UTC at hand. */

const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
})
const SHORT_TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

export function dayAndTime(instant: string | number): string {
  return DAY_AND_TIME.format(new Date(instant))
}

export function timeOfDay(instant: string | number): string {
  return TIME.format(new Date(instant))
}

export function hourAndMinute(instant: number): string {
  return SHORT_TIME.format(new Date(instant))
}

export function inUtc(instant: string | number): string {
  return new Date(instant)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')
}
