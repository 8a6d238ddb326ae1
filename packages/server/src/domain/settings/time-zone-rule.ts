import { matching, type Rule } from './rule.ts'

export const TIME_ZONE_RULE: Rule = matching('an IANA time zone such as Europe/Madrid', isTimeZone)

function isTimeZone(name: string): boolean {
  // Intl also takes offsets such as +03:00, which are not time zones.
  if (!/^[A-Z]/i.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
